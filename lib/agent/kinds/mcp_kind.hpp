#pragma once

#include <weft/graph/node_registry.hpp>
#include <weft/tool/tool_runner.hpp>
#include <weft/tool/tool_set.hpp>

#include <boost/describe/class.hpp>
#include <boost/json/object.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** A node of the kind `mcp`: calls one tool of an MCP server, without a model. */
struct mcp_settings {
    static constexpr std::array<std::string_view, 2> required_members{"server", "tool"};
    std::string server = {};                            ///< A name of the file's `mcp`.
    std::string tool = {};                              ///< As the server calls it.
    std::optional<boost::json::object> arguments = {};  ///< Texts in it are templates; not given: what the node reads.
    std::string into = {};                              ///< The key that gets the whole result.
};
BOOST_DESCRIBE_STRUCT(mcp_settings, (), (server, tool, arguments, into))

/** The kind `mcp` of graph files. Arguments follow the tool's schema. In `arguments` a text that is one key in braces,
 *  `"{place}"`, stands for the key's value, whatever its type; other texts are templates. The structured content of the
 *  result is written as `agent_detail::write_answer` says, without it the text is the answer.
 *
 *  The call is the effect `mcp` of the visit: it is not made again once its result was recorded. It counts as one tool
 *  call in the run's budget, and the program's policy for tools holds. Its retries are those of the node. Where the
 *  program confirms calls (`tool_runner_options::confirm`), the effect is that of `tool_runner`, and a failure that was
 *  recorded is not tried again.
 *
 *  @param tools     Those of all servers, by the names that `mcp_servers` gives them; null: there are none.
 *  @param options   Policy, confirmation and hooks of tools; their limits are the node's own.
 *
 *  @par Errors   In a run: `errc::mcp_refused` with what the tool says, also for arguments that do not fit;
 *                `errc::timeout`, `errc::invalid_output`, `errc::budget_exhausted`. */
[[nodiscard]] node_kind mcp_kind(std::shared_ptr<const tool_set> tools, tool_runner_options options = {});

}  // namespace weft
