#pragma once

#include <weft/async/task.hpp>
#include <weft/async/wait/slot_limiter.hpp>
#include <weft/base/error.hpp>
#include <weft/net/http_client.hpp>
#include <weft/net/secret_string.hpp>
#include <weft/net/url.hpp>
#include <weft/tool/oauth/oauth_options.hpp>

#include "oauth_flow.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace weft::tool_detail {

/** A token as a request bears it. */
struct numbered_token {
    secret_string text{};  ///< Empty: there is none yet.
    std::uint64_t number = 0;  ///< Says which one it is, without saying it.
};

/** The tokens of one server: has them, renews them, keeps them. Performs what `oauth_flow` decides.
 *
 *  One flow is under way at a time: a request that needs a token meanwhile waits, and gets what the flow brings or the
 *  error that it ends with.
 *
 *  @par Thread safety   None: it lives on the loop of its first call.
 *  @par Lifetimes       Outlives the tasks that it gives out.
 */
class oauth_session {
public:
    /** @par Errors   `errc::invalid_configuration`: the options contradict each other. */
    oauth_session(oauth_options options, url server);

    /** The token to send now. One that expires soon is renewed before, where that asks no person; if that fails, the
     *  old one is sent, and the server decides.
     *  @par Errors   Those of `oauth_token_store::load`. */
    [[nodiscard]] task<numbered_token> current();

    /** Gets another token in place of one that the server refused.
     *
     *  @param refused     Its number.
     *  @param status      401, or 403.
     *  @param challenge   What `WWW-Authenticate` said.
     *  @return            False if no token helps: a 403 that asks for no scope.
     *
     *  @par Errors
     *    - `errc::mcp_unauthorized`   no token is to be had, or the server refuses what it asked for.
     *    - Those of the wire, and of `oauth_token_store`. */
    [[nodiscard]] task<bool> renew(std::uint64_t refused, int status, std::string challenge);

    /** The server took a token. */
    void on_accepted(std::uint64_t number) noexcept
    {
        if (number == number_) proof_ = proof::accepted;
    }

private:
    /** What is known of the token: one that is refused as soon as it is there is not asked for again and again. */
    enum class proof { accepted, refreshed, granted };
    struct answer {
        int status = 0;
        std::string body{};
    };

    [[nodiscard]] task<void> load();
    [[nodiscard]] task<bool> takes_stored();
    [[nodiscard]] task<void> get(oauth_wish wish);
    [[nodiscard]] task<void> carry_out(oauth_flow& flow);
    [[nodiscard]] task<void> keep(oauth_result result);
    [[nodiscard]] task<answer> fetch(oauth_request request);
    [[nodiscard]] task<answer> follow(oauth_request request);
    [[nodiscard]] const http_client& client_for(const url& target) const;
    [[nodiscard]] oauth_wish wish_after(int status, const oauth_challenge& said) const;
    [[nodiscard]] bool expires_soon(clock::system_time_point now) const noexcept;
    [[nodiscard]] bool can_renew_quietly() const noexcept;

    oauth_options options_;
    url server_;
    std::string where_;
    http_client client_;
    std::optional<http_client> proxied_;
    slot_limiter line_{1};
    bool is_loaded_ = false;
    oauth_tokens held_;
    std::uint64_t number_ = 0;
    proof proof_ = proof::accepted;
    std::chrono::nanoseconds margin_;  // so long before it expires the token is replaced
    bool is_quiet_over_ = false;       // the token could not be renewed without a person
    std::string asked_scope_;
    std::optional<oauth_discovery> discovery_;
    std::uint64_t failures_ = 0;
    std::optional<error> failure_;
};

}  // namespace weft::tool_detail
