#pragma once

#include <weft/base/error.hpp>
#include <weft/net/secret_string.hpp>
#include <weft/net/url.hpp>
#include <weft/tool/oauth/oauth_options.hpp>
#include <weft/tool/oauth/oauth_tokens.hpp>

#include "oauth_challenge.hpp"
#include "oauth_discovery.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** What a flow is to get, and out of what. */
struct oauth_wish {
    oauth_tokens held{};                         ///< Those of before; empty if there are none.
    bool may_refresh = false;                    ///< Tries `held.refresh` first.
    bool may_ask = true;                         ///< Goes on to a new grant where a refresh does not help.
    oauth_challenge challenge{};                 ///< What the server said.
    std::optional<oauth_discovery> discovery{};  ///< Known already, for a refresh.
    std::string verifier{};                      ///< A fresh secret for PKCE: 43 to 128 of `[A-Za-z0-9-._~]`.
    std::string state{};                         ///< A fresh secret that comes back with the browser.
};

/** What a flow brings. */
struct oauth_result {
    oauth_tokens tokens{};  ///< Without `expires_at`: a flow knows no clock.
    std::optional<std::chrono::seconds> expires_in{};  ///< From now on; nothing: the server does not say.
    bool is_refresh = false;                           ///< And not a new grant.
    std::string asked_scope{};                         ///< That a new grant was asked for, with blanks between scopes.
    oauth_discovery discovery{};
};

/** A request of a flow. Its body may carry secrets. */
struct oauth_request {
    std::optional<url> target{};
    std::string content_type{};  ///< Empty: a GET, whose redirects may be followed; else a POST.
    std::string body{};
    secret_string basic{};       ///< For `Authorization: Basic …`; empty: none.
};

/** Decides how a token is had for one protected resource: what to ask next from what was answered. Does no I/O.
 *
 *      while (flow.next() is not done or failed) {
 *          fetch:     send flow.request(), and tell flow.on_response(status, body)
 *          redirect:  tell flow.on_redirect_uri(…) where the browser can be sent back to
 *          visit:     have a person open flow.visit_url(), and tell flow.on_visit(query)
 *      }
 *
 *  Metadata of the resource and of its authorization server, the client, then the grant. PKCE with S256 always; a
 *  server whose metadata does not list it is refused. A refresh that the server refuses goes on to a new grant. Every
 *  flow ends after at most thirteen requests and one visit.
 *
 *  @par Thread safety   As a value.
 *  @par Source          MCP 2025-06-18 and 2025-11-25, "Authorization"; OAuth 2.1; RFC 7591, 7636, 8414, 8707, 9207,
 *                       9728; OAuth Client ID Metadata Document.
 */
class oauth_flow {
public:
    enum class step { fetch, redirect, visit, done, failed };

    /** @param options   Outlives the flow.
     *  @param server    The URL of the protected resource, such as an MCP server. */
    oauth_flow(const oauth_options& options, url server, oauth_wish wish);

    [[nodiscard]] step next() const noexcept { return next_; }

    /** With `step::fetch`. */
    [[nodiscard]] const oauth_request& request() const noexcept { return request_; }
    /** @param body   As much as `oauth_document_bytes_max` and one byte more. */
    void on_response(int status, std::string_view body);

    /** With `step::redirect`. */
    void on_redirect_uri(std::string uri);
    /** With `step::visit`. It carries what the authorization server needs, and none of our secrets. */
    [[nodiscard]] const std::string& visit_url() const noexcept { return visit_url_; }
    /** @param query   What the browser came back with: the query, or the whole URL with it. */
    void on_visit(std::string_view query);

    /** With `step::done`. */
    [[nodiscard]] const oauth_result& result() const noexcept { return result_; }
    /** With `step::failed`: `errc::mcp_unauthorized`. Never repeats a secret. */
    [[nodiscard]] const error& failure() const { return *failure_; }

private:
    using fields = std::vector<std::pair<std::string, std::string>>;

    void search();
    void refresh();
    void new_grant();
    void start_grant();
    void choose_client();
    void register_client();
    void take_registration(int status, std::string_view body);
    void ask_person();
    void check_visit(const fields& said);
    void ask_for_token(fields form);
    void take_token(int status, std::string_view body);
    void fetch(url target);
    [[nodiscard]] std::string wanted_scope() const;
    [[nodiscard]] std::string clean(std::string_view text) const;
    void fail(std::string detail);

    const oauth_options* options_;
    url server_;
    oauth_wish wish_;
    step next_ = step::fetch;
    std::optional<oauth_search> search_;  // under way
    bool is_registering_ = false;
    oauth_request request_;
    oauth_registration client_;
    std::string visit_url_;
    secret_string code_;
    oauth_result result_;  // as far as it is there
    std::optional<error> failure_;
};

}  // namespace weft
