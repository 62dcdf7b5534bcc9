// Fuzzes what servers and browsers say on the way to a token: challenges and metadata are read or refused, never with a
// URL that is not https; and a flow ends after a bounded number of answers, whatever they are.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/oauth_fuzz.cpp …

#include "stream_pieces.hpp"

#include <weft/base/error.hpp>
#include <weft/tool/oauth/oauth_tokens.hpp>

#include "tool/oauth/oauth_challenge.hpp"
#include "tool/oauth/oauth_flow.hpp"
#include "tool/oauth/oauth_metadata.hpp"

#include <optional>
#include <string>
#include <vector>

namespace {

using stream_pieces::require;

constexpr std::string_view pieces[] = {
    "Bearer ", "Basic ", "error=", "\"insufficient_scope\"", "scope=", "\"a b\"", "resource_metadata=",
    "\"https://a.example/m\"", ",", "\\", "\"", "=", " ",
    R"({"resource":"https://a.example/mcp",)", R"("authorization_servers":["https://as.example"]})",
    R"("authorization_servers":["http://as.example"]})",
    R"({"issuer":"https://as.example",)", R"("token_endpoint":"https://as.example/t",)",
    R"("authorization_endpoint":"https://as.example/a",)", R"("registration_endpoint":"https://as.example/r",)",
    R"x("authorization_endpoint":"javascript:alert(1)",)x",
    R"("code_challenge_methods_supported":["S256"]})",
    R"({"client_id":"c","client_secret":"s"})", R"({"access_token":"t","token_type":"Bearer","expires_in":1e300})",
    R"({"error":"invalid_grant","error_description":"x"})", "code=1&", "state=the-state&",
    "iss=https%3A%2F%2Fas.example&", "{", "}", "\n",
};

bool is_safe(const weft::url& one) { return one.is_https() && !one.host_is_loopback(); }

void check_challenge(const std::string& text)
{
    const auto challenge = weft::oauth_challenge::read(text);
    if (challenge) require(challenge->scope.empty() || weft::is_oauth_scope(challenge->scope));
}

template <class Read>
void attempt(Read read)
{
    try {
        read();
    } catch (const weft::error& e) {
        require(e.code() == weft::errc::mcp_unauthorized && !e.detail().empty());
    }
}

void check_metadata(const std::string& text, const weft::url& server)
{
    attempt([&] {
        const auto read = weft::oauth_resource_metadata::read(text, server, "fuzz");
        require(!read.authorization_servers.empty() && weft::url{read.resource}.origin() == server.origin());
    });
    attempt([&] {
        const auto read = weft::oauth_server_metadata::read(text, "https://as.example", "fuzz");
        for (const auto& one : {read.authorization_endpoint, read.token_endpoint, read.registration_endpoint})
            require(!one || is_safe(*one));
    });
    if (const auto tokens = weft::oauth_tokens::from_text(text))
        require(weft::oauth_tokens::from_text(tokens->to_text().reveal()).has_value());
}

/** The lines of a text are the answers. */
void run_flow(const std::string& text, const weft::url& server, bool may_refresh)
{
    using step = weft::oauth_flow::step;
    weft::oauth_options options;
    options.redirect = []() -> weft::task<weft::oauth_redirect> { co_return weft::oauth_redirect{}; };
    weft::oauth_wish wish;
    wish.verifier = "verifier-0123456789";
    wish.state = "the-state";
    wish.may_refresh = may_refresh;
    wish.held.refresh = weft::secret_string{"refresh-0123456789"};
    wish.held.issuer = "https://as.example";
    wish.held.client.id = "before";
    weft::oauth_flow flow{options, server, std::move(wish)};
    std::size_t at = 0;
    for (int rounds = 0; flow.next() != step::done && flow.next() != step::failed; ++rounds) {
        require(rounds <= 16);
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        at = std::min(end + 1, text.size());
        if (flow.next() == step::redirect) {
            flow.on_redirect_uri("http://127.0.0.1:1/callback");
        } else if (flow.next() == step::visit) {
            require(flow.visit_url().starts_with("https://"));
            flow.on_visit(line);
        } else {
            require(is_safe(*flow.request().target));
            flow.on_response(line.empty() ? 404 : 200, line);
        }
    }
    if (flow.next() == step::done) require(!flow.result().tokens.access.empty());
    else require(std::string_view{flow.failure().what()}.find("-0123456789") == std::string_view::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const weft::url server{"https://a.example/mcp"};
    const std::string text = stream_pieces::spelled_out(pieces, data, size);
    check_challenge(text);
    check_metadata(text, server);
    run_flow(text, server, size % 2 == 0);
    return 0;
}
