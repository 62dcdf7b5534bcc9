#pragma once

#include <weft/async/task.hpp>
#include <weft/base/clock.hpp>
#include <weft/net/secret_string.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** A client as an authorization server knows it. */
struct oauth_registration {
    std::string id{};
    secret_string secret{};      ///< Empty: a public client.
    std::string method{};        ///< `token_endpoint_auth_method` of the registration; empty: as the metadata say.
    std::string redirect_uri{};  ///< That it was registered with.
};

/** What one server's tokens are, and where they come from. */
struct oauth_tokens {
    secret_string access{};
    secret_string refresh{};                                     ///< Empty: there is none.
    std::optional<clock::system_time_point> expires_at{};        ///< Of `access`; nothing: the server does not say.
    std::string scope{};                                         ///< That was granted, with blanks between scopes.
    std::string issuer{};                                        ///< Who gave them; they go to no other one.
    oauth_registration client{};                                 ///< Whom they were given to.

    /** JSON, for an `oauth_token_store`: a secret as a whole. */
    [[nodiscard]] secret_string to_text() const;
    /** What `to_text` wrote; nothing if it is something else. */
    [[nodiscard]] static std::optional<oauth_tokens> from_text(std::string_view text);
};

/** Where tokens outlive the process: a file (`oauth_token_file`), a keyring, an item store that seals.
 *
 *  @par Thread safety   Called on the loop of the client that the tokens are for, one call at a time of one client.
 *  @par Lifetimes       Outlives its tasks; clients share it.
 */
class oauth_token_store {
public:
    virtual ~oauth_token_store() = default;

    /** @param server   The URL of the server that the tokens are for.
     *  @return         What was saved last for it; empty if nothing was.
     *  @par Errors     They end the request that needs a token. */
    [[nodiscard]] virtual task<secret_string> load(std::string server) = 0;
    /** Puts `tokens` in place of those of before; empty ones: takes them out. Errors as for `load`. */
    [[nodiscard]] virtual task<void> save(std::string server, secret_string tokens) = 0;

protected:
    oauth_token_store() = default;
    oauth_token_store(const oauth_token_store&) = default;
    oauth_token_store& operator=(const oauth_token_store&) = default;
};

}  // namespace weft
