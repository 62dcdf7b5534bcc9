#pragma once

#include <weft/tool/mcp/mcp_types.hpp>

#include <boost/json/object.hpp>

#include <functional>
#include <optional>
#include <string>

/** Reads the payloads of the protocol. What is missing or of another type is left empty; what cannot be used at all is
 *  left out, and `complain` is told why. */
namespace weft::mcp_detail {

using complaint_sink = std::function<void(std::string)>;

[[nodiscard]] std::optional<mcp_tool> read_tool(const boost::json::value& from, const mcp_limits& limits,
                                                const complaint_sink& complain);
[[nodiscard]] std::optional<mcp_resource> read_resource(const boost::json::value& from, const mcp_limits& limits,
                                                        const complaint_sink& complain);
[[nodiscard]] std::optional<mcp_resource_template>
read_resource_template(const boost::json::value& from, const mcp_limits& limits, const complaint_sink& complain);
[[nodiscard]] std::optional<mcp_prompt> read_prompt(const boost::json::value& from, const mcp_limits& limits,
                                                    const complaint_sink& complain);

[[nodiscard]] mcp_content read_content(const boost::json::value& from);
[[nodiscard]] mcp_call_result read_call_result(const boost::json::object& from);
[[nodiscard]] std::vector<mcp_resource_content> read_resource_contents(const boost::json::object& from);
[[nodiscard]] mcp_prompt_text read_prompt_text(const boost::json::object& from, const mcp_limits& limits);
[[nodiscard]] mcp_progress read_progress(const boost::json::object& from);
[[nodiscard]] mcp_log_line read_log_line(const boost::json::object& from);

}  // namespace weft::mcp_detail
