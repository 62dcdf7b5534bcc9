#pragma once

#include <weft/graph/spec/spec_duration.hpp>

#include <boost/describe.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** Who agrees that a server's tools are called. */
enum class mcp_oauth_grant : std::uint8_t {
    authorization_code,  ///< A person, in a browser.
    client_credentials,  ///< The program's own id and secret.
};
BOOST_DESCRIBE_ENUM(mcp_oauth_grant, authorization_code, client_credentials)

/** How tokens for an MCP server behind a URL are had; `oauth_options` of `weft/tool/oauth_options.hpp` says what the
 *  members mean. */
struct mcp_oauth_spec {
    mcp_oauth_grant grant = mcp_oauth_grant::authorization_code;
    std::string client_id = {};
    std::string client_secret = {};  ///< A reference to a variable, `${NAME}`.
    std::string issuer = {};
    std::string client_metadata_url = {};
    std::vector<std::string> scopes = {};
    bool operator==(const mcp_oauth_spec&) const = default;
};
BOOST_DESCRIBE_STRUCT(mcp_oauth_spec, (), (grant, client_id, client_secret, issuer, client_metadata_url, scopes))

/** A server of the Model Context Protocol whose tools nodes may call, by the name `SERVER__TOOL`: a program, or a URL.
 *
 *  `${NAME}` in its texts stands for a variable of the environment of the process that starts it. Reading a file starts
 *  nothing: `mcp_servers` does. */
struct mcp_spec {
    std::vector<std::string> command = {};                 ///< The program and its arguments; no shell is involved.
    std::map<std::string, std::string> environment = {};   ///< Further variables of the program.
    std::string url = {};                                  ///< Instead of `command`.
    std::map<std::string, std::string> headers = {};       ///< Of every request to the URL.
    std::optional<mcp_oauth_spec> oauth = {};              ///< The URL wants OAuth tokens.
    std::optional<std::vector<std::string>> tools = {};    ///< Those that nodes may call; not given: all.
    std::optional<spec_duration> timeout = {};             ///< Of a call.
    bool operator==(const mcp_spec&) const = default;
};
BOOST_DESCRIBE_STRUCT(mcp_spec, (), (command, environment, url, headers, oauth, tools, timeout))

}  // namespace weft
