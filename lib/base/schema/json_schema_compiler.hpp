#pragma once

#include "json_schema_program.hpp"

#include <weft/base/text/json_path.hpp>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace weft::schema_detail {

/** Compiles the document of a program into its nodes. One object for each. */
class schema_compiler {
public:
    schema_compiler(schema_program& program, const json_path& at, const json_schema::mistake_sink& sink);

    /** False after the first mistake, which the sink was told. */
    [[nodiscard]] bool compile();

private:
    using value = boost::json::value;
    using handler = void (schema_compiler::*)(schema_node&, const value&, const json_path&);
    struct refused {};

    /** A `$ref` whose target is not compiled yet. */
    struct open_reference {
        std::string pointer;
        schema_index node;  ///< Gets the target in its `all_of`, at `place`.
        std::size_t place;
        std::string written_at;
    };

    void tell(const json_path& at, std::string text);
    /** Tells, and gives up the keyword under way. */
    [[noreturn]] void refuse(const json_path& at, std::string text);
    /** Compiles a part; a mistake in it keeps nobody from the others. */
    template <class Part>
    void attempt(Part part)
    {
        try {
            part();
        } catch (const refused&) {
        }
    }
    [[nodiscard]] static handler handler_of(std::string_view name);

    [[nodiscard]] schema_index compile_at(const value& from, const json_path& at);
    void compile_object(schema_index index, const boost::json::object& from, const json_path& at);
    void resolve_references();
    [[nodiscard]] schema_index target_of(const open_reference& reference, const value& from, std::string_view rest,
                                         const json_path& at);
    void refuse_endless();
    [[nodiscard]] static std::vector<schema_index> applied_beside(const schema_node& node);

    // Readers of parts, in json_schema_keywords.cpp.
    [[nodiscard]] const boost::json::object& object_of(const value& from, const json_path& at);
    [[nodiscard]] const boost::json::array& array_of(const value& from, const json_path& at);
    [[nodiscard]] const value& number_of(const value& from, const json_path& at);
    [[nodiscard]] std::uint64_t count_of(const value& from, const json_path& at);
    [[nodiscard]] std::string_view text_of(const value& from, const json_path& at);
    [[nodiscard]] bool boolean_of(const value& from, const json_path& at);
    [[nodiscard]] std::vector<std::string_view> names_of(const value& from, const json_path& at);
    [[nodiscard]] schema_pattern pattern_of(std::string_view text, const json_path& at);
    [[nodiscard]] type_set type_of(const value& from, const json_path& at);
    [[nodiscard]] std::vector<schema_index> list_of(const value& from, const json_path& at);
    void add_dependencies(schema_node& to, const value& from, const json_path& at, bool may_be_names,
                          bool may_be_schemas);

    // Keywords, in json_schema_keywords.cpp.
    void take_reference(schema_node&, const value&, const json_path&);
    void take_unsupported(schema_node&, const value&, const json_path&);
    void take_id(schema_node&, const value&, const json_path&);
    void take_definitions(schema_node&, const value&, const json_path&);
    void take_type(schema_node&, const value&, const json_path&);
    void take_enum(schema_node&, const value&, const json_path&);
    void take_const(schema_node&, const value&, const json_path&);
    void take_properties(schema_node&, const value&, const json_path&);
    void take_pattern_properties(schema_node&, const value&, const json_path&);
    void take_additional(schema_node&, const value&, const json_path&);
    void take_property_names(schema_node&, const value&, const json_path&);
    void take_required(schema_node&, const value&, const json_path&);
    void take_dependent_required(schema_node&, const value&, const json_path&);
    void take_dependent_schemas(schema_node&, const value&, const json_path&);
    void take_dependencies(schema_node&, const value&, const json_path&);
    void take_min_properties(schema_node&, const value&, const json_path&);
    void take_max_properties(schema_node&, const value&, const json_path&);
    void take_items(schema_node&, const value&, const json_path&);
    void take_prefix_items(schema_node&, const value&, const json_path&);
    void take_contains(schema_node&, const value&, const json_path&);
    void take_min_contains(schema_node&, const value&, const json_path&);
    void take_max_contains(schema_node&, const value&, const json_path&);
    void take_min_items(schema_node&, const value&, const json_path&);
    void take_max_items(schema_node&, const value&, const json_path&);
    void take_unique_items(schema_node&, const value&, const json_path&);
    void take_minimum(schema_node&, const value&, const json_path&);
    void take_maximum(schema_node&, const value&, const json_path&);
    void take_exclusive_minimum(schema_node&, const value&, const json_path&);
    void take_exclusive_maximum(schema_node&, const value&, const json_path&);
    void take_multiple_of(schema_node&, const value&, const json_path&);
    void take_min_length(schema_node&, const value&, const json_path&);
    void take_max_length(schema_node&, const value&, const json_path&);
    void take_pattern(schema_node&, const value&, const json_path&);
    void take_all_of(schema_node&, const value&, const json_path&);
    void take_any_of(schema_node&, const value&, const json_path&);
    void take_one_of(schema_node&, const value&, const json_path&);
    void take_not(schema_node&, const value&, const json_path&);
    void take_if(schema_node&, const value&, const json_path&);
    void take_then(schema_node&, const value&, const json_path&);
    void take_else(schema_node&, const value&, const json_path&);

    schema_program& program_;
    const json_path& at_;
    const json_schema::mistake_sink& sink_;
    std::string_view id_;  // of the whole
    std::unordered_map<const value*, schema_index> compiled_;
    std::vector<open_reference> references_;
    std::size_t mistakes_ = 0;
};

}  // namespace weft::schema_detail
