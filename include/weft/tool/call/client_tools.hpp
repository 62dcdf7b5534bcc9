#pragma once

#include <weft/chat/tool_choice.hpp>
#include <weft/chat/tool_spec.hpp>

#include <boost/json/conversion.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

class state_layout;

/** Functions that run at the client of a run, as it sent them: a model may call them, weft never does. A value of a
 *  state key, so that it is kept with the run:
 *
 *      inline constexpr weft::state_key<weft::client_tools> client_tools_key{"client_tools"};
 *      request.input(client_tools_key, weft::from_json<weft::client_tools>(given));
 *
 *  As JSON it is a list of tools, or an object:
 *
 *      {"tools": [{"name": "locate", "description": "Where the user is.", "parameters": {"type": "object"}}],
 *       "tool_choice": "auto", "parallel_tool_calls": false}
 *
 *  A tool may have the form of chat completions (`{"type": "function", "function": {…}}`), of Responses, of AG-UI or of
 *  MCP (`inputSchema`). `tool_choice` is `auto`, `none`, `required` or `{"name": …}`, also in the forms of OpenAI. */
struct client_tools {
    client_tools() {}

    static constexpr std::size_t count_max = 128;
    static constexpr std::size_t bytes_max = 256 * 1024;  ///< Of the list as JSON.
    [[nodiscard]] static boost::json::object json_schema();

    std::vector<tool_spec> tools = {};
    tool_choice choice = {};  ///< For the first call of the model; `none` holds for all of them.
    std::optional<bool> in_parallel = {};  ///< Whether one reply may have several calls; not given: as the model does.

    friend bool operator==(const client_tools&, const client_tools&) = default;
};

/** The object above; members that have their default are left out. */
void tag_invoke(boost::json::value_from_tag, boost::json::value& out, const client_tools& in);

/** @par Errors   `errc::unexpected_json`; where: the JSON path, e.g. `$.tools[0].function.name`. */
client_tools tag_invoke(boost::json::value_to_tag<client_tools>, const boost::json::value& in);

/** Which tools of its client a node offers to its model. In JSON: `true`, `false`, or the names of some. */
struct client_tools_offer {
    client_tools_offer() {}
    client_tools_offer(bool all) : is_all{all} {}
    client_tools_offer(std::vector<std::string> some) : names{std::move(some)} {}

    [[nodiscard]] static boost::json::object json_schema();
    [[nodiscard]] bool is_none() const noexcept { return !is_all && names.empty(); }
    [[nodiscard]] bool has(std::string_view name) const;

    bool is_all = false;
    std::vector<std::string> names = {};  ///< If not all.

    friend bool operator==(const client_tools_offer&, const client_tools_offer&) = default;
};

void tag_invoke(boost::json::value_from_tag, boost::json::value& out, const client_tools_offer& in);
/** @par Errors   `errc::unexpected_json` for anything else. */
client_tools_offer tag_invoke(boost::json::value_to_tag<client_tools_offer>, const boost::json::value& in);

/** The key of a graph that holds `client_tools`, the first of them; empty: there is none. */
[[nodiscard]] std::string_view key_of_client_tools(const state_layout& keys);
/** What is wrong with an offer in a graph with these keys; empty if nothing is. */
[[nodiscard]] std::string fault_of(const client_tools_offer& offer, const state_layout& keys);

}  // namespace weft
