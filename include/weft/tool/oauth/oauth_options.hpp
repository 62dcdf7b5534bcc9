#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/net/http_client_options.hpp>
#include <weft/net/secret_string.hpp>
#include <weft/tool/oauth/oauth_tokens.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** How tokens are had. */
enum class oauth_grant {
    authorization_code,  ///< A person agrees in a browser.
    client_credentials,  ///< The program's own id and secret; no person is asked.
};

/** Where an authorization server sends the browser when a person has decided, and what waits for it there. */
struct oauth_redirect {
    std::string uri{};
    /** Has the person open `url` in a browser, and waits for the browser to come to `uri`.
     *  @return   The query that it comes with, e.g. `code=…&state=…`. What it says is checked afterwards. */
    std::function<task<std::string>(std::string url)> visit{};
};

/** How an MCP server's tokens are had: `mcp_endpoint::oauth`.
 *
 *  With nothing set but `redirect`, the client finds the authorization server by what the MCP server says and registers
 *  itself there. Which client it is: `client_id` if that is given, else `client_metadata_url` if the authorization
 *  server knows such documents, else a dynamic registration.
 */
struct oauth_options {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    oauth_options() {}

    oauth_grant grant = oauth_grant::authorization_code;

    std::string client_id;          ///< Of a client that is registered already.
    secret_string client_secret;    ///< Its secret, if it has one. It goes to the authorization server `issuer` only.
    /** The authorization server that `client_id` is known to; needed with a secret, so that no MCP server can have it
     *  sent elsewhere. Another one is refused. Empty: the first that the MCP server names. */
    std::string issuer;
    std::string client_metadata_url;   ///< https URL of a document about this client, which is its id then.
    std::string client_name = "weft";  ///< For people, in a dynamic registration.
    /** Asked for beside those that the server asks for, e.g. `offline_access`. */
    std::vector<std::string> scopes;

    /** Called at the beginning of each flow that asks a person, on the client's loop: `oauth_loopback` for programs on
     *  the person's own machine. Empty: no person can be asked, and `errc::mcp_unauthorized` says so. */
    std::function<task<oauth_redirect>()> redirect;
    std::shared_ptr<oauth_token_store> tokens;  ///< Null: tokens live as long as the client.

    /** For metadata, registration and tokens; what asks a browser does not use it. */
    http_client_options client;
    /** Addresses that metadata may lead to beside those of the public internet, e.g. of an intranet. The servers of an
     *  MCP server on this machine may be on this machine. Not asked for what goes through a proxy. */
    std::function<bool(std::string_view address)> also_allowed;

    std::chrono::nanoseconds request_time_max = std::chrono::seconds{30};  ///< For each request with its redirects.
    std::chrono::nanoseconds person_time_max = std::chrono::minutes{5};    ///< For a person to decide.
    /** So long before it expires a token is replaced. */
    std::chrono::nanoseconds renewed_before = std::chrono::seconds{30};
};

}  // namespace weft
