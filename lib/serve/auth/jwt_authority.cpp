#include "jwt_authority.hpp"

#include <weft/base/error.hpp>
#include <weft/net/http_client.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

constexpr std::size_t jwk_set_bytes_max = 256 * 1024;

void check_options(const jwt_options& options, bool has_fetch)
{
    std::string wrong;
    const auto add = [&wrong](const std::string& what) { wrong += (wrong.empty() ? "" : "; ") + what; };
    if (options.issuer.empty()) add("issuer: is empty");
    if (options.audience.empty()) add("audience: is empty, so that a token for any other service would do");
    const int sources = (options.jwks.empty() ? 0 : 1) + (options.jwks_url.empty() ? 0 : 1) + (has_fetch ? 1 : 0);
    if (sources != 1) add("jwks_url, jwks: give one of them");
    if (options.leeway.count() < 0) add("leeway: is below 0");
    if (options.fetch_pause.count() < 1) add("fetch_pause: is below 1 s");
    if (!options.jwks_url.empty()) {
        try {
            // A change of the keys on their way would sign tokens of any tenant.
            const url from{options.jwks_url};
            const bool is_safe = from.scheme() == url_scheme::https || from.host_is_loopback();
            if (!is_safe) add("jwks_url: keys of another machine come over https only");
        } catch (const error& e) {
            add(std::string{"jwks_url: "} + e.what());
        }
    }
    if (!wrong.empty()) throw error{errc::invalid_configuration, "server: auth.jwt", wrong};
}

task<std::string> fetch_over_http(http_client client, std::string from)
{
    http_request request{"GET", url{from}};
    request.header("Accept", "application/json");
    http_response response = co_await client.send(std::move(request));
    if (response.status() != 200)
        throw error{errc::invalid_response, from, "status " + std::to_string(response.status())};
    co_return co_await response.read_all(jwk_set_bytes_max);
}

}  // namespace

jwt_authority::jwt_authority(serial_loop& loop, jwt_options options, fetch_function fetch, problem_function problem)
    : loop_{loop}, options_{std::move(options)}, fetch_{std::move(fetch)}, problem_{std::move(problem)}
{
    check_options(options_, fetch_ != nullptr);
    if (!options_.jwks.empty()) keys_ = read_jwk_set(options_.jwks);
    if (options_.jwks_url.empty()) return;
    http_client_options how;
    how.timeouts.connect = std::chrono::seconds{5};
    how.timeouts.first_byte = std::chrono::seconds{5};
    fetch_ = [client = http_client{std::move(how)}, from = options_.jwks_url] { return fetch_over_http(client, from); };
}

task<jwt_verdict> jwt_authority::check(std::string token)
{
    if (fetch_ && loop_.now() >= fresh_until_ && may_fetch()) co_await refresh();
    jwt_verdict verdict = check_jwt(token, keys_, options_, loop_.clock().system_now());
    if (!verdict.is_key_unknown) co_return verdict;
    // Its issuer may have a new key. What comes meanwhile waits for the same answer.
    const std::size_t seen = fetches_;
    const bool is_under_way = one_fetch_.free() == 0;
    if (!is_under_way && !may_fetch()) co_return verdict;
    if (is_under_way) (void)co_await one_fetch_.acquire();
    else co_await refresh();
    if (fetches_ == seen) co_return verdict;
    co_return check_jwt(token, keys_, options_, loop_.clock().system_now());
}

task<void> jwt_authority::refresh()
{
    const std::size_t seen = fetches_;
    const slot_limiter::slot slot = co_await one_fetch_.acquire();
    if (fetches_ != seen || !may_fetch()) co_return;  // another caller has done it meanwhile
    next_fetch_ = loop_.now() + options_.fetch_pause;
    std::string problem;
    try {
        const std::string fetched = co_await fetch_();
        std::vector<jwk> keys = read_jwk_set(fetched);
        if (keys.empty()) problem = "the issuer has no key that the server can use";
        else keys_ = std::move(keys);
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
        problem = e.what();
    }
    if (!problem.empty()) {
        if (problem_) problem_(problem);
        co_return;
    }
    ++fetches_;
    fresh_until_ = loop_.now() + options_.keys_lifetime;
}

}  // namespace weft::serve_detail
