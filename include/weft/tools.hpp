#pragma once

/** Tools that models call: functions of yours, files, HTTP, the shell, and those of MCP servers.
 *
 *  Links with `weft::net`. docs/TOOLS.md, docs/MCP.md. */

#include <weft/tool/file_tools.hpp>
#include <weft/tool/function_tool.hpp>
#include <weft/tool/http_fetch_tool.hpp>
#include <weft/tool/mcp_client.hpp>
#include <weft/tool/mcp_tools.hpp>
#include <weft/tool/shell_tool.hpp>
#include <weft/tool/tool_node.hpp>
#include <weft/tool/tool_runner.hpp>
#include <weft/tool/tool_set.hpp>
