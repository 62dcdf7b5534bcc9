#pragma once

#include <weft/base/chrono.hpp>
#include <weft/base/json_schema.hpp>
#include <weft/base/memory/shared_block.hpp>
#include <weft/tool/function_tool.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {

/** A tool of a set, with what is asked of it again and again. */
struct tool_entry {
    std::shared_ptr<weft::tool> work;
    tool_spec spec;
    tool_traits traits;
    std::optional<json_schema> schema;  ///< Of the arguments; nothing: any object, or text.
};

class tool_set;

/** Whether every provider takes a name for a tool. */
[[nodiscard]] bool is_tool_name(std::string_view name) noexcept;
/** What such a name is, for messages. */
inline constexpr std::string_view tool_name_rule{"the name of a tool has 1 to 64 letters, digits, '_' and '-'"};

/** Says more of a tool that was just added; each function returns the editor itself.
 *
 *  `parameter` is a member of the arguments; a member inside is named with dots, items of a list with `[]`:
 *  `"places[].city"`. A name that is none is `errc::invalid_configuration`, at once.
 *
 *  @par Lifetimes   The set outlives it and is not changed otherwise meanwhile. */
class tool_editor {
public:
    /** What a parameter means, for the model. */
    tool_editor& describe(std::string_view parameter, std::string words);
    tool_editor& range(std::string_view parameter, double min, double max);
    /** Of a text, in code points, or of a list. */
    tool_editor& length(std::string_view parameter, std::size_t min, std::size_t max);
    /** Adds or replaces keywords of JSON Schema. */
    tool_editor& constrain(std::string_view parameter, const boost::json::object& keywords);

    tool_editor& timeout(std::chrono::nanoseconds limit);
    /** A failed call is tried again. */
    tool_editor& idempotent();
    /** Has the turn to itself. */
    tool_editor& sequential();
    tool_editor& read_only();
    tool_editor& destructive();
    tool_editor& tag(std::string name);

private:
    friend class tool_set;
    tool_editor(tool_entry& entry, described_tool& work) noexcept : entry_{&entry}, work_{&work} {}
    [[nodiscard]] boost::json::object& schema_at(std::string_view parameter);
    tool_editor& update();

    tool_entry* entry_;
    described_tool* work_;
};

/** Tools by name, for a model to choose from.
 *
 *      weft::tool_set tools;
 *      tools.add("weather", "The weather of a city today.", [](place where) { return weather_of(where); })
 *          .describe("city", "in English");
 *
 *  @par Errors          Functions that add: `errc::invalid_configuration` for a name that providers refuse or that is
 *                       there already; `errc::unexpected_json` for a schema that is none.
 *  @par Thread safety   As a value; what is const may be called from any OS thread. Copies share the tools.
 */
class tool_set {
public:
    /** Adds a callable; see `tool_function`. Its schema follows from its arguments. */
    template <class F>
        requires tool_function<std::decay_t<F>>
    tool_editor add(std::string name, std::string description, F&& function)
    {
        using arguments = tool_detail::arguments_of<std::decay_t<F>>;
        tool_spec spec{std::move(name), std::move(description)};
        if constexpr (tool_detail::takes_text<arguments>) spec.input = tool_input::text;
        else spec.parameters = json_schema_of<arguments>();
        return add_described(
            make_shared_as<described_tool, function_tool<std::decay_t<F>>>(std::move(spec), std::forward<F>(function)));
    }
    /** Adds a callable that takes a `boost::json::object`, with the schema of the object. */
    template <class F>
        requires std::same_as<tool_detail::arguments_of<std::decay_t<F>>, boost::json::object>
    tool_editor add(std::string name, std::string description, boost::json::object schema, F&& function)
    {
        tool_spec spec{std::move(name), std::move(description), std::move(schema)};
        return add_described(
            make_shared_as<described_tool, function_tool<std::decay_t<F>>>(std::move(spec), std::forward<F>(function)));
    }
    tool_set& add(std::shared_ptr<tool> what);
    /** Adds all tools of another set. */
    tool_set& add(const tool_set& others);
    /** Adds `transfer_to_<node>`, with which a model hands the conversation over to another node of the graph.
     *  @param when   For the model: when to do that. */
    tool_editor add_hand_over(const std::string& node, std::string when);

    /** Adds a tool that is carried out elsewhere, such as by the program at the other end of an API. */
    tool_editor add_remote(std::string name, std::string description, boost::json::object schema);

    /** Whom `only` asks for names that the set does not have: for programs that look at files whose tools belong to
     *  another one, and for those that know better why a tool is missing. It answers with a tool of that name, with
     *  null, or throws an `error` that says why. It must bear to be called from any OS thread.
     *  @param source   Null: none, as at first. */
    tool_set& otherwise(std::function<std::shared_ptr<tool>(std::string_view name)> source);

    /** Null if there is none of that name. */
    [[nodiscard]] const tool_entry* find(std::string_view name) const noexcept;
    /** In the order in which they were added. */
    [[nodiscard]] std::span<const tool_entry> entries() const noexcept { return entries_; }
    [[nodiscard]] std::vector<tool_spec> specs() const;
    /** `add, search, weather` */
    [[nodiscard]] std::string names() const;
    /** That there is no tool of a name, which is perhaps meant, and which there are. */
    [[nodiscard]] std::string explain_unknown(std::string_view name) const;
    [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

    /** The tools of these names.
     *  @par Errors   `errc::invalid_configuration` for a name that is none; it lists those there are. What the function
     *                of `otherwise` throws. */
    [[nodiscard]] tool_set only(std::span<const std::string> names) const;
    /** The tools that have at least one of these tags. */
    [[nodiscard]] tool_set tagged(std::span<const std::string> tags) const;

private:
    tool_editor add_described(std::shared_ptr<described_tool> what);

    std::vector<tool_entry> entries_;
    std::map<std::string, std::size_t, std::less<>> places_;
    std::function<std::shared_ptr<tool>(std::string_view name)> otherwise_;
};

}  // namespace weft
