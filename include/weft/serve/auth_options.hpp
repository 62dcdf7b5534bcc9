#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/serve/principal.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

class http_call;

/** Lets clients in that carry a signed token of an identity provider, in `Authorization: Bearer`.
 *
 *      jwt_options{.issuer = "https://login.example", .audience = "weft",
 *                  .jwks_url = "https://login.example/.well-known/jwks.json", .tenant_claim = "org_id"}
 *
 *  Signatures are RS256, PS256, ES256 or EdDSA (Ed25519), as the key says and not as the token says. A token needs the
 *  claims `iss`, `aud`, `sub` and `exp`.
 *
 *  Keys that were fetched stay in use for as long as the provider is down. A token with an unknown key has them fetched
 *  again, at most once in `fetch_pause`.
 *
 *  @par Errors   `errc::invalid_configuration` from `server`: no issuer, no audience, not exactly one source of keys.
 *  @par Source   RFC 7519, 7515, 7517, 7518 §3, 8037; RFC 8725 for what is refused. */
struct jwt_options {
    std::string issuer;                  ///< `iss` must be this.
    std::string audience;                ///< `aud` must be this, or have it.
    std::string jwks_url = {};           ///< Where the keys are; over TLS, unless on this machine.
    std::string jwks = {};               ///< The keys themselves, as the JSON of a JWK set, in place of a URL.
    std::string tenant_claim = {};       ///< The claim that names the tenant; empty: all have the tenant without name.
    std::string scope_claim = {};  ///< A claim with scopes, as a list or a text with blanks; empty: all is allowed.
    std::chrono::seconds leeway{30};     ///< By which clocks may differ.
    std::chrono::seconds fetch_pause{30};
    std::chrono::seconds keys_lifetime{600};  ///< After it the keys are fetched again.
};

/** What one caller may take of a server. A caller over a limit gets 429 with `Retry-After`. 0: no limit. */
struct caller_limits {
    double requests_per_second = 0;  ///< On average.
    std::size_t burst = 100;         ///< Requests at once after a pause.
    std::size_t open_requests_max = 0;  ///< Streams and waits among them.
    std::size_t runs_max = 0;        ///< Runs of its tenant under way or in line, in this process.
};

/** A client that is known by the certificate that it shows (`tls_server_options::client_ca_file`).
 *
 *      known_certificate{"agent-7.example.com", principal{.name = "agent 7", .tenant = "acme"}} */
struct known_certificate {
    std::string subject;  ///< The common name, one of the DNS names, or the SHA-256 fingerprint of the certificate.
    principal who;
};

/** Who may call a server. Each way that is set is tried: the hook, certificates, API keys, tokens. A caller that none
 *  of them knows gets 401, one whose scopes do not reach gets 403. What belongs to another tenant is not there (404).
 *
 *      auth_options auth;
 *      auth.api_keys = true;
 *      auth.authenticate = [](const http_call& call) -> task<std::optional<principal>> { … };
 *
 *  @par Lifetimes   The functions are kept as long as the server. */
struct auth_options {
    auth_options() {}

    /** API keys of the store, made by `weft keys` or `api_key_table`, in `Authorization: Bearer` or `X-Api-Key`. One
     *  that is revoked works for 5 s at most. */
    bool api_keys = false;
    std::optional<jwt_options> jwt = {};
    /** Clients by their certificates; the first one that fits counts. */
    std::vector<known_certificate> certificates = {};
    /** Says who calls, by whatever it likes; nothing: it does not know. It may throw `http_error`. On the loop. */
    std::function<task<std::optional<principal>>(const http_call& call)> authenticate = {};
    /** Decides what the scopes have allowed; false: 403. On the loop; must not block. */
    std::function<bool(const principal& who, std::string_view resource, std::string_view action)> authorize = {};
    caller_limits limits{};
    /** Refused callers, changes, deletions and answers are in the store's `audit_log` for so long; 0: not at all. */
    std::chrono::hours audit_lifetime{24 * 90};
    /** Without any way to authenticate, other machines may call the server only if this says so. */
    bool lets_anyone_in = false;

    /** True if callers are asked who they are. */
    [[nodiscard]] bool is_on() const noexcept { return api_keys || jwt || authenticate || !certificates.empty(); }
};

}  // namespace weft
