#include "oauth_session.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/system/random_secret.hpp>
#include <weft/tool/builtin/public_address.hpp>

#include "oauth_secrets.hpp"
#include "tool/builtin/redirect_target.hpp"

#include <algorithm>
#include <utility>

namespace weft::tool_detail {

namespace {

constexpr std::size_t redirects_max = 3;

[[noreturn]] void refuse_options(const std::string& why)
{
    throw error{errc::invalid_configuration, "oauth", why};
}

void check(const oauth_options& options)
{
    const bool is_own = options.grant == oauth_grant::client_credentials;
    if (is_own && (options.client_id.empty() || options.client_secret.empty()))
        refuse_options("client_credentials need client_id and client_secret");
    if (!options.client_secret.empty() && options.client_id.empty())
        refuse_options("a client_secret belongs to a client_id: give it");
    if (!options.client_secret.empty() && options.issuer.empty())
        refuse_options("give issuer, the authorization server that client_secret is for: else an MCP server could have "
                       "it sent to another one");
    if (!options.client_metadata_url.empty() && !url{options.client_metadata_url}.is_https())
        refuse_options("client_metadata_url is an https URL");
    for (const std::string& scope : options.scopes)
        if (!is_oauth_scope(scope)) refuse_options("'" + scope + "' is no scope");
}

/** Where metadata may lead to: what an MCP server says must not reach into the network around us. */
http_client_options guarded(const oauth_options& options, bool is_on_this_machine)
{
    http_client_options guarded = options.client;
    guarded.address_filter = [is_on_this_machine, own = options.client.address_filter,
                              also = options.also_allowed](std::string_view address) {
        if (own && !own(address)) return false;
        if (is_public_address(address) || (also && also(address))) return true;
        return is_on_this_machine && (address.starts_with("127.") || address == "::1");
    };
    return guarded;
}

bool is_redirect(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

http_request made_request(const oauth_request& from, const url& target)
{
    http_request made{from.content_type.empty() ? "GET" : "POST", target};
    made.header("accept", "application/json");
    if (!from.content_type.empty()) made.body(from.body, from.content_type);
    if (!from.basic.empty()) made.secret("Authorization", from.basic, "Basic ");
    return made;
}

bool holds_all(std::string_view scopes, std::string_view wanted)
{
    const std::string list = " " + std::string{scopes} + " ";
    while (!wanted.empty()) {
        const std::string_view one = wanted.substr(0, wanted.find(' '));
        if (list.find(" " + std::string{one} + " ") == list.npos) return false;
        wanted.remove_prefix(std::min(one.size() + 1, wanted.size()));
    }
    return true;
}

}  // namespace

oauth_session::oauth_session(oauth_options options, url server)
    : options_{std::move(options)}, server_{std::move(server)}, where_{server_.endpoint()},
      client_{guarded(options_, server_.host_is_loopback())}, margin_{options_.renewed_before}
{
    check(options_);
    if (!server_.is_https() && !server_.host_is_loopback())
        throw error{errc::invalid_configuration, where_, "tokens go to https only, or to this machine"};
    if (!options_.client.address_filter) proxied_.emplace(options_.client);
}

bool oauth_session::expires_soon(clock::system_time_point now) const noexcept
{
    return held_.expires_at && *held_.expires_at - now < margin_;
}

bool oauth_session::can_renew_quietly() const noexcept
{
    if (held_.access.empty() || is_quiet_over_) return false;
    return !held_.refresh.empty() || options_.grant == oauth_grant::client_credentials;
}

task<numbered_token> oauth_session::current()
{
    serial_loop& loop = co_await this_task::loop();
    const auto is_fine = [&] { return !can_renew_quietly() || !expires_soon(loop.clock().system_now()); };
    if (!is_loaded_ || !is_fine()) {
        const slot_limiter::slot turn = co_await line_.acquire();
        if (!is_loaded_) co_await load();
        if (!is_fine()) {
            oauth_wish wish = wish_after(401, {});
            wish.may_refresh = true;
            wish.may_ask = options_.grant == oauth_grant::client_credentials;
            try {
                co_await get(std::move(wish));
            } catch (const error& e) {
                if (e.code() == errc::cancelled) throw;
                is_quiet_over_ = true;
            }
        }
    }
    co_return numbered_token{held_.access, number_};
}

task<void> oauth_session::load()
{
    const bool is_new = co_await takes_stored();
    static_cast<void>(is_new);
    is_loaded_ = true;
}

/** Takes the tokens of the store, if they are others. @return Whether they are. */
task<bool> oauth_session::takes_stored()
{
    if (!options_.tokens) co_return false;
    const secret_string text = co_await options_.tokens->load(server_.to_string());
    std::optional<oauth_tokens> stored = oauth_tokens::from_text(text.reveal());
    if (!stored || stored->access.empty() || stored->access.reveal() == held_.access.reveal()) co_return false;
    held_ = *std::move(stored);
    ++number_;
    proof_ = proof::accepted;
    margin_ = options_.renewed_before;
    is_quiet_over_ = false;
    co_return true;
}

oauth_wish oauth_session::wish_after(int status, const oauth_challenge& said) const
{
    oauth_wish wish;
    wish.held = held_;
    wish.may_refresh = status == 401 && proof_ == proof::accepted;
    wish.challenge = said;
    wish.discovery = discovery_;
    return wish;
}

task<bool> oauth_session::renew(std::uint64_t refused, int status, std::string challenge)
{
    const oauth_challenge said = oauth_challenge::read(challenge).value_or(oauth_challenge{});
    if (status != 401 && said.error != "insufficient_scope") co_return false;
    const std::uint64_t failures_before = failures_;
    const slot_limiter::slot turn = co_await line_.acquire();
    if (number_ != refused) co_return true;
    if (failures_ != failures_before) throw error{*failure_};
    if (status == 401) {
        // Another process may have renewed it.
        const bool is_there = co_await takes_stored();
        if (is_there) co_return true;
        if (proof_ == proof::granted)
            throw error{errc::mcp_unauthorized, where_,
                        "the server refuses the token that its authorization server has just given; check that both "
                        "mean the same resource"};
    } else if (!held_.access.empty() && !said.scope.empty() && holds_all(asked_scope_, said.scope)) {
        throw error{errc::mcp_unauthorized, where_,
                    "the server wants a scope that was asked for already, and was not granted"};
    }
    std::optional<error> failure;
    oauth_wish wish = wish_after(status, said);
    try {
        co_await get(std::move(wish));
    } catch (const error& e) {
        failure = e;
    }
    if (!failure) co_return true;
    // A stop of this call is nothing to the others: one of them goes on.
    if (failure->code() != errc::cancelled) {
        ++failures_;
        failure_ = failure;
    }
    throw error{*failure};
}

task<void> oauth_session::get(oauth_wish wish)
{
    wish.verifier = random_secret();
    wish.state = random_secret();
    oauth_flow flow{options_, server_, std::move(wish)};
    co_await carry_out(flow);
    if (flow.next() == oauth_flow::step::failed) throw error{flow.failure()};
    oauth_result result = flow.result();
    co_await keep(std::move(result));
}

task<void> oauth_session::carry_out(oauth_flow& flow)
{
    using step = oauth_flow::step;
    oauth_redirect redirect;
    while (flow.next() != step::done && flow.next() != step::failed) {
        // What is late here is not the server: a request to it must not count as one without an answer.
        std::string late;
        try {
            if (flow.next() == step::fetch) {
                late = "the authorization server does not answer in time";
                const answer got = co_await fetch(flow.request());
                flow.on_response(got.status, got.body);
            } else if (flow.next() == step::redirect) {
                oauth_redirect opened = co_await options_.redirect();
                redirect = std::move(opened);
                flow.on_redirect_uri(redirect.uri);
            } else {
                late = "it was not agreed to in time";
                task<std::string> visiting = redirect.visit(flow.visit_url());
                const std::string query = co_await with_deadline(std::move(visiting), options_.person_time_max);
                flow.on_visit(query);
            }
        } catch (const error& e) {
            if (e.code() != errc::timeout) throw;
            throw error{errc::mcp_unauthorized, where_, late};
        }
    }
}

task<void> oauth_session::keep(oauth_result result)
{
    const serial_loop& loop = co_await this_task::loop();
    held_ = result.tokens;
    if (const auto span = result.expires_in) {
        held_.expires_at = loop.clock().system_now() + *span;
        // A short-lived token is used for half of its life at least, or it would be refreshed for every request.
        margin_ = std::min<std::chrono::nanoseconds>(options_.renewed_before, *span / 2);
    }
    ++number_;
    proof_ = result.is_refresh ? proof::refreshed : proof::granted;
    if (!result.is_refresh) asked_scope_ = result.asked_scope;
    is_quiet_over_ = false;
    discovery_ = std::move(result.discovery);
    if (options_.tokens) co_await options_.tokens->save(server_.to_string(), held_.to_text());
}

const http_client& oauth_session::client_for(const url& target) const
{
    // With a filter there is no proxy, which looks names up itself.
    return proxied_ && options_.client.proxy_for(target) ? *proxied_ : client_;
}

task<oauth_session::answer> oauth_session::fetch(oauth_request request)
{
    const std::string target = request.target->endpoint();
    try {
        const std::chrono::nanoseconds limit = options_.request_time_max;
        task<answer> following = follow(std::move(request));
        answer got = co_await with_deadline(std::move(following), limit);
        co_return got;
    } catch (const error& e) {
        if (e.code() != errc::address_refused) throw;
    }
    throw error{errc::mcp_unauthorized, where_,
                "the way to a token leads to " + target + ", or on from there to an address that is not of the public "
                "internet; if it should, `also_allowed` of `oauth` says so"};
}

task<oauth_session::answer> oauth_session::follow(oauth_request request)
{
    url target = *request.target;
    for (std::size_t redirects = 0;; ++redirects) {
        http_request next = made_request(request, target);
        http_response response = co_await client_for(target).send(std::move(next));
        const http_response_head& head = response.head();
        const auto location = head.headers.find("location");
        if (!request.content_type.empty() || !is_redirect(head.status) || !location) {
            std::string body = co_await response.read_at_most(oauth_document_bytes_max + 1);
            co_return answer{response.status(), std::move(body)};
        }
        if (redirects == redirects_max)
            throw error{errc::mcp_unauthorized, where_, "too many redirects on the way to " + target.endpoint()};
        const url to = redirect_target(target, *location);
        target = read_oauth_url(to.to_string(), oauth_reach_of(server_), "a redirect", where_);
    }
}

}  // namespace weft::tool_detail
