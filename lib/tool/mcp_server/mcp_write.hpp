#pragma once

#include <weft/tool/mcp/mcp_types.hpp>
#include <weft/tool/mcp_server/mcp_peer.hpp>
#include <weft/tool/tool_result.hpp>

#include <boost/json/object.hpp>

#include <vector>

/** Writes the payloads of the protocol; `mcp_read` reads them. */
namespace weft::mcp_detail {

[[nodiscard]] boost::json::object json_of(const mcp_tool& tool);
[[nodiscard]] boost::json::object json_of(const mcp_resource& resource);
[[nodiscard]] boost::json::object json_of(const mcp_resource_template& family);
[[nodiscard]] boost::json::object json_of(const mcp_prompt& prompt);
[[nodiscard]] boost::json::object json_of(const mcp_content& content);
/** @param era   In the legacy one structured content is an object: another value is put into `{"result": …}`. */
[[nodiscard]] boost::json::object json_of(const mcp_call_result& result, mcp_era era);
[[nodiscard]] boost::json::object json_of(const std::vector<mcp_resource_content>& contents);
[[nodiscard]] boost::json::object json_of(const mcp_prompt_text& prompt);

/** What a tool of weft gives back, as a client gets it. A value that is JSON is structured content, and a text. */
[[nodiscard]] mcp_call_result call_result_of(const tool_result& result);

}  // namespace weft::mcp_detail
