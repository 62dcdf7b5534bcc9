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

    // For the handlers of keywords. What reads a value refuses one of another kind.

    using value = boost::json::value;

    /** Tells, and gives up the keyword under way. */
    [[noreturn]] void refuse(const json_path& at, std::string text);
    [[nodiscard]] schema_index compile_at(const value& from, const json_path& at);
    /** Notes a `$ref`, by a JSON pointer into the document; it is resolved when all else is compiled. */
    void refer(schema_node& from, std::string_view pointer, const json_path& at);
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
    /** The `$id` of the whole, without `#` at its end. */
    [[nodiscard]] std::string_view id() const noexcept { return id_; }
    [[nodiscard]] bool is_whole(const schema_node& node) const { return &node == &program_.nodes.front(); }

private:
    struct refused {};

    /** A `$ref` whose target is not compiled yet. */
    struct open_reference {
        std::string pointer;
        schema_index node;  ///< Gets the target in its `all_of`, at `place`.
        std::size_t place;
        std::string written_at;
    };

    void tell(const json_path& at, std::string text);
    /** Compiles a part; a mistake in it does not hide the others. */
    template <class Part>
    void attempt(Part part)
    {
        try {
            part();
        } catch (const refused&) {
        }
    }
    void compile_object(schema_index index, const boost::json::object& from, const json_path& at);
    void resolve_references();
    [[nodiscard]] schema_index target_of(const open_reference& reference, const value& from, std::string_view rest,
                                         const json_path& at);
    void refuse_endless();
    [[nodiscard]] static std::vector<schema_index> applied_beside(const schema_node& node);

    schema_program& program_;
    const json_path& at_;
    const json_schema::mistake_sink& sink_;
    std::string_view id_;  // of the whole
    std::unordered_map<const value*, schema_index> compiled_;
    std::vector<open_reference> references_;
    std::size_t mistakes_ = 0;
};

}  // namespace weft::schema_detail
