#pragma once

#include <weft/tool/oauth/oauth_options.hpp>

#include <functional>
#include <string>

namespace weft_cli {

/** How the person who runs the program agrees that MCP servers are used: the URL of the authorization server is written
 *  to standard error, and the browser comes back to a port of this machine. Where standard error is no terminal, a flow
 *  that needs a person fails and says what to do.
 *
 *  @param token_file   Where tokens are kept; empty: nowhere.
 *  @return             For `mcp_servers_options::oauth`. */
[[nodiscard]] std::function<weft::oauth_options(const std::string& server)>
sign_in_at_terminal(const std::string& token_file);

}  // namespace weft_cli
