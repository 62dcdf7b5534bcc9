#include <boost/test/unit_test.hpp>

#include "tool/oauth/oauth_flow.hpp"

#include <optional>
#include <string>

BOOST_AUTO_TEST_SUITE(oauth_flow_test)

namespace {

using weft::oauth_flow;
using step = oauth_flow::step;

constexpr const char* resource_json =
    R"({"resource": "https://a.example/mcp", "authorization_servers": ["https://as.example"]})";
constexpr const char* server_json =
    R"({"issuer": "https://as.example", "authorization_endpoint": "https://as.example/go",
        "token_endpoint": "https://as.example/token", "registration_endpoint": "https://as.example/register",
        "code_challenge_methods_supported": ["S256"], "authorization_response_iss_parameter_supported": true,
        "token_endpoint_auth_methods_supported": ["client_secret_post"]})";

weft::oauth_wish new_wish()
{
    weft::oauth_wish wish;
    wish.verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    wish.state = "state-0123456789";
    return wish;
}

weft::oauth_wish refreshing_wish()
{
    weft::oauth_wish wish = new_wish();
    wish.held.access = weft::secret_string{"old-access-0123"};
    wish.held.refresh = weft::secret_string{"old-refresh-0123"};
    wish.held.issuer = "https://as.example";
    wish.held.scope = "read";
    wish.held.client.id = "before";
    wish.held.client.redirect_uri = "http://127.0.0.1:1/callback";
    wish.may_refresh = true;
    return wish;
}

weft::oauth_options asking()
{
    weft::oauth_options options;
    options.redirect = []() -> weft::task<weft::oauth_redirect> { co_return weft::oauth_redirect{}; };
    return options;
}

oauth_flow flow_to(const weft::oauth_options& options, weft::oauth_wish wish)
{
    oauth_flow flow{options, weft::url{"https://a.example/mcp"}, std::move(wish)};
    flow.on_response(404, "");
    BOOST_TEST(flow.request().target->to_string() == "https://a.example/.well-known/oauth-protected-resource");
    flow.on_response(200, resource_json);
    flow.on_response(404, "");
    BOOST_TEST(flow.request().target->to_string() == "https://as.example/.well-known/openid-configuration");
    flow.on_response(200, server_json);
    return flow;
}

/** A flow that waits for the person. */
oauth_flow visited(const weft::oauth_options& options)
{
    oauth_flow flow = flow_to(options, new_wish());
    BOOST_TEST((flow.next() == step::redirect));
    flow.on_redirect_uri("http://127.0.0.1:1/callback");
    BOOST_TEST(flow.request().target->to_string() == "https://as.example/register");
    BOOST_TEST(flow.request().body.find("\"token_endpoint_auth_method\":\"client_secret_post\"") != std::string::npos);
    flow.on_response(201, R"({"client_id": "new", "client_secret": "new-secret-0123456789"})");
    BOOST_TEST((flow.next() == step::visit));
    return flow;
}

/** What a flow that ends has found out. */
weft::oauth_discovery discovery_of(const weft::oauth_options& options)
{
    oauth_flow flow = flow_to(options, refreshing_wish());
    flow.on_response(200, R"({"access_token": "new", "token_type": "bearer"})");
    return flow.result().discovery;
}

std::string failure_after(oauth_flow flow, std::string_view query)
{
    flow.on_visit(query);
    return flow.next() == step::failed ? flow.failure().detail() : "no failure";
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(M4_a_flow_ends_with_tokens)
{
    const weft::oauth_options options = asking();
    oauth_flow flow = visited(options);
    BOOST_TEST(flow.visit_url() ==
               "https://as.example/go?response_type=code&client_id=new&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2F"
               "callback&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256&state="
               "state-0123456789&resource=https%3A%2F%2Fa.example%2Fmcp");
    flow.on_visit("http://127.0.0.1:1/callback?code=c%2B1&state=state-0123456789&iss=https%3A%2F%2Fas.example#x");
    BOOST_TEST(flow.request().target->to_string() == "https://as.example/token");
    BOOST_TEST(flow.request().body ==
               "grant_type=authorization_code&code=c%2B1&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcallback&"
               "code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk&resource=https%3A%2F%2Fa.example%2Fmcp&"
               "client_id=new&client_secret=new-secret-0123456789");
    flow.on_response(200, R"({"access_token": "t", "token_type": "BEARER", "expires_in": 60, "scope": "a"})");
    BOOST_REQUIRE((flow.next() == step::done));
    BOOST_TEST(flow.result().tokens.access.reveal() == "t");
    BOOST_TEST(flow.result().tokens.client.secret.reveal() == "new-secret-0123456789");
    BOOST_TEST(flow.result().tokens.scope == "a");
    BOOST_TEST((flow.result().expires_in == std::chrono::seconds{60}));
}

BOOST_AUTO_TEST_CASE(M4_a_redirect_is_believed_only_with_state_and_issuer)
{
    const weft::oauth_options options = asking();
    const std::string state = "state=state-0123456789";
    const std::string issuer = "&iss=https%3A%2F%2Fas.example";
    BOOST_TEST(has(failure_after(visited(options), "code=c" + issuer), "without the state"));
    BOOST_TEST(has(failure_after(visited(options), "code=c&state=state-012345678" + issuer), "without the state"));
    BOOST_TEST(has(failure_after(visited(options), "error=x" + issuer), "without the state"));
    BOOST_TEST(has(failure_after(visited(options), state + "&code=c"), "(iss)"));
    BOOST_TEST(has(failure_after(visited(options), state + "&code=c&iss=https%3A%2F%2Fas.example%2F"), "(iss)"));
    BOOST_TEST(has(failure_after(visited(options), state + "&code=c&code=d" + issuer), "twice"));
    BOOST_TEST(has(failure_after(visited(options), state + "&state=x&code=c" + issuer), "twice"));
    BOOST_TEST(has(failure_after(visited(options), state + issuer), "without a code"));
    BOOST_TEST(has(failure_after(visited(options), state + issuer + "&error=denied"), "not agreed to: denied"));
    std::string long_query = state + issuer;
    for (int i = 0; i < 40; ++i) long_query += "&a" + std::to_string(i) + "=1";
    BOOST_TEST(has(failure_after(visited(options), long_query), "more than"));
}

BOOST_AUTO_TEST_CASE(M4_what_a_server_says_of_a_failure_repeats_no_secret)
{
    const weft::oauth_options options = asking();
    oauth_flow flow = visited(options);
    flow.on_visit("code=the-code-0123456789&state=state-0123456789&iss=https%3A%2F%2Fas.example");
    flow.on_response(400, R"({"error": "invalid_request", "error_description":
        "the-code-0123456789 and new-secret-0123456789 of dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk\u001b[2J"})");
    BOOST_REQUIRE((flow.next() == step::failed));
    const std::string text = flow.failure().what();
    BOOST_TEST(has(text, "HTTP status 400, invalid_request, ***"), text);
    for (const char* secret : {"the-code", "0123456789", "new-secret", "dBjftJeZ", "\x1b"})
        BOOST_TEST(!has(text, secret), text);
    for (const char* body : {R"({"access_token": "a b", "token_type": "bearer"})", R"({"access_token": "a"})", "[]", "",
                             R"({"access_token": "a", "token_type": "mac"})", R"({"access_token": 1})"}) {
        oauth_flow broken = visited(options);
        broken.on_visit("code=c&state=state-0123456789&iss=https%3A%2F%2Fas.example");
        broken.on_response(200, body);
        BOOST_TEST((broken.next() == step::failed), body);
    }
}

BOOST_AUTO_TEST_CASE(M4_a_refresh_keeps_what_the_answer_leaves_out)
{
    const weft::oauth_options options = asking();
    oauth_flow flow = flow_to(options, refreshing_wish());
    BOOST_TEST(flow.request().body == "grant_type=refresh_token&refresh_token=old-refresh-0123&resource=https%3A%2F%2F"
                                      "a.example%2Fmcp&client_id=before");
    flow.on_response(200, R"({"access_token": "new", "token_type": "bearer"})");
    BOOST_REQUIRE((flow.next() == step::done));
    BOOST_TEST(flow.result().is_refresh);
    BOOST_TEST(flow.result().tokens.refresh.reveal() == "old-refresh-0123");
    BOOST_TEST(flow.result().tokens.scope == "read");
}

BOOST_AUTO_TEST_CASE(M4_a_refresh_that_is_refused_leads_to_a_new_grant_once)
{
    const weft::oauth_options options = asking();
    oauth_flow flow = flow_to(options, refreshing_wish());
    flow.on_response(400, R"({"error": "invalid_grant"})");
    BOOST_TEST((flow.next() == step::redirect));
    flow.on_redirect_uri("http://127.0.0.1:1/callback");
    BOOST_TEST(has(flow.visit_url(), "client_id=before&"));

    oauth_flow forgotten = flow_to(options, refreshing_wish());
    forgotten.on_response(401, R"({"error": "invalid_client"})");
    forgotten.on_redirect_uri("http://127.0.0.1:1/callback");
    BOOST_TEST(forgotten.request().target->to_string() == "https://as.example/register");

    oauth_flow failing = flow_to(options, refreshing_wish());
    failing.on_response(503, "");
    BOOST_TEST((failing.next() == step::failed));  // the tokens may still be good: later

    weft::oauth_wish quiet = refreshing_wish();
    quiet.may_ask = false;
    oauth_flow alone = flow_to(options, quiet);
    alone.on_response(400, R"({"error": "invalid_grant"})");
    BOOST_TEST((alone.next() == step::failed));
}

BOOST_AUTO_TEST_CASE(M4_a_refresh_token_goes_to_no_other_issuer)
{
    const weft::oauth_options options = asking();
    weft::oauth_wish wish = refreshing_wish();
    wish.held.issuer = "https://other.example";
    const oauth_flow flow = flow_to(options, wish);
    BOOST_TEST((flow.next() == step::redirect));
}

BOOST_AUTO_TEST_CASE(M4_what_is_known_saves_the_search_for_a_refresh)
{
    const weft::oauth_options options = asking();
    weft::oauth_wish wish = refreshing_wish();
    wish.discovery = discovery_of(options);
    oauth_flow flow{options, weft::url{"https://a.example/mcp"}, wish};
    BOOST_TEST(flow.request().target->to_string() == "https://as.example/token");
    flow.on_response(400, R"({"error": "invalid_grant"})");
    // What was known may be out of date: a new grant looks again.
    BOOST_TEST(flow.request().target->to_string() ==
               "https://a.example/.well-known/oauth-protected-resource/mcp");
}

BOOST_AUTO_TEST_CASE(M4_no_metadata_no_token)
{
    const weft::oauth_options options = asking();
    const auto failure_of = [&](int status) {
        oauth_flow flow{options, weft::url{"https://a.example/mcp"}, new_wish()};
        flow.on_response(status, "");
        if (flow.next() == step::fetch) flow.on_response(status, "");
        return flow.next() == step::failed ? std::string{flow.failure().what()} : std::string{"no failure"};
    };
    BOOST_TEST(has(failure_of(404), "a.example/.well-known/oauth-protected-resource answers with HTTP status 404"));
    BOOST_TEST(has(failure_of(500), "oauth-protected-resource/mcp answers with HTTP status 500"));
    weft::oauth_wish wish = new_wish();
    wish.challenge.resource_metadata = "http://a.example/metadata";
    const oauth_flow flow{options, weft::url{"https://a.example/mcp"}, wish};
    BOOST_REQUIRE((flow.next() == step::failed));
    BOOST_TEST(has(flow.failure().what(), "it is not https"));
}

BOOST_AUTO_TEST_SUITE_END()
