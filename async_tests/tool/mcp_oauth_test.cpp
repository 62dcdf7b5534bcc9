#include <boost/test/unit_test.hpp>

#include "oauth_server.hpp"

#include <weft/async/sleep.hpp>

BOOST_AUTO_TEST_SUITE(mcp_oauth_test)

using namespace oauth_server;

namespace {

/** Calls one after the other with one client; before each, what is to happen at the server. */
task<std::vector<call_outcome>> call_after(weft::mcp_endpoint endpoint, std::vector<std::function<void()>> before)
{
    mcp_client client{weft::mcp_http(weft::http_client{}, std::move(endpoint))};
    std::vector<call_outcome> outcomes;
    for (const auto& happens : before) {
        happens();
        call_outcome outcome = co_await call_once(client, "book");
        outcomes.push_back(std::move(outcome));
    }
    co_await client.close();
    co_return outcomes;
}

void nothing() {}

class memory_tokens final : public weft::oauth_token_store {
public:
    task<weft::secret_string> load(std::string server) override
    {
        ++loads;
        co_return weft::secret_string{kept[server]};
    }
    task<void> save(std::string server, weft::secret_string tokens) override
    {
        kept[server] = tokens.reveal();
        co_return;
    }
    std::map<std::string, std::string> kept;
    int loads = 0;
};

/** Nothing that a person reads may repeat a token, a code or a secret. */
bool is_clean(const std::string& text)
{
    return text.find("0123456789") == std::string::npos && text.find("-secret") == std::string::npos &&
           text.find("secret%") == std::string::npos;
}

task<std::string> refuse_visit(std::string target)
{
    const fields said = fields_of(target.substr(target.find('?') + 1));
    co_return "error=access_denied&error_description=Not+today&state=" + said.at("state");
}

task<std::string> forge_visit(std::string)
{
    co_return "code=stolen&state=forged";
}

task<std::string> wait_visit(std::string)
{
    co_await weft::sleep_for(1h);
    co_return std::string{};
}

task<weft::oauth_redirect> redirect_by(task<std::string> (*visit)(std::string))
{
    weft::oauth_redirect redirect;
    redirect.uri = redirect_uri;
    redirect.visit = visit;
    co_return redirect;
}

/** A person who leaves a scope out: less is granted than was asked for. */
task<std::string> agree_to_less(server* at, std::string target)
{
    const std::string granted = target.substr(0, target.find("&scope=")) + "&scope=read";
    co_return at->agree(granted);
}

task<weft::oauth_redirect> redirect_to_less(server* at)
{
    weft::oauth_redirect redirect;
    redirect.uri = redirect_uri;
    redirect.visit = [at](std::string target) { return agree_to_less(at, std::move(target)); };
    co_return redirect;
}

call_outcome call_with_visit(server& where, task<std::string> (*visit)(std::string), weft::oauth_options options = {})
{
    options.redirect = [visit] { return redirect_by(visit); };
    return call(oauth_server::at(where, std::move(options)));
}

}  // namespace

BOOST_AUTO_TEST_CASE(M4_a_client_registers_itself_and_a_person_agrees)
{
    for (const bool names_place : {true, false}) {
        manners how;
        how.names_resource_metadata = names_place;
        server where{how};
        const call_outcome got = call(oauth_server::at(where, agreeing(where)));
        BOOST_TEST(is_booked(got), got.text);
        BOOST_TEST(where.complaints() == "");
        BOOST_TEST(where.visits == 1);
        BOOST_TEST(where.count("register") == 1);
        BOOST_TEST(where.asked_scopes == std::vector<std::string>{"read"}, boost::test_tools::per_element());
        BOOST_TEST(where.count("POST tools/call") == 1);
    }
}

BOOST_AUTO_TEST_CASE(M4_a_refused_token_is_refreshed_and_the_refresh_token_rotates)
{
    server where;
    const auto forget = [&] { where.forget_tokens(); };
    weft::mcp_endpoint endpoint = oauth_server::at(where, agreeing(where));
    const auto got = weft::run_blocking(call_after(std::move(endpoint), {nothing, forget, forget}));
    for (const auto& each : got) BOOST_TEST(is_booked(each), each.text);
    BOOST_TEST(where.complaints() == "");
    BOOST_TEST(where.visits == 1);
    BOOST_TEST(where.count("refresh_token") == 2);
    BOOST_TEST(where.count("server_metadata") == 1);  // known from before
}

BOOST_AUTO_TEST_CASE(M4_without_a_refresh_token_that_works_a_person_is_asked_again)
{
    server where;
    const auto forget = [&] { where.forget_tokens(true); };
    const auto got = weft::run_blocking(call_after(oauth_server::at(where, agreeing(where)), {nothing, forget}));
    for (const auto& each : got) BOOST_TEST(is_booked(each), each.text);
    BOOST_TEST(where.visits == 2);
    BOOST_TEST(where.count("register") == 1);  // the client of before
    BOOST_TEST(where.complaints() == "");
}

BOOST_AUTO_TEST_CASE(M4_a_token_that_expires_soon_is_refreshed_before_it_is_sent)
{
    manners how;
    how.expires_in = 20;  // less than renewed_before, and used all the same
    server where{how};
    const auto kept = std::make_shared<memory_tokens>();
    weft::oauth_options options = agreeing(where);
    options.tokens = kept;
    BOOST_TEST(is_booked(call(oauth_server::at(where, options))));
    BOOST_TEST(where.count("refresh_token") == 0);
    auto tokens = weft::oauth_tokens::from_text(kept->kept.at(where.url())).value();
    tokens.expires_at = std::chrono::system_clock::now() + 5s;
    kept->kept[where.url()] = tokens.to_text().reveal();
    BOOST_TEST(is_booked(call(oauth_server::at(where, options))));
    BOOST_TEST(where.count("401") == 1);  // the first request of all
    BOOST_TEST(where.count("refresh_token") == 1);
    BOOST_TEST(where.visits == 1);
    BOOST_TEST(where.complaints() == "");
}

BOOST_AUTO_TEST_CASE(M4_a_scope_that_is_missing_is_asked_for_together_with_those_of_before)
{
    manners how;
    how.call_scope = "write";
    server where{how};
    const call_outcome got = call(oauth_server::at(where, agreeing(where)));
    BOOST_TEST(is_booked(got), got.text);
    BOOST_TEST(where.count("403") == 1);
    const std::vector<std::string> wanted{"read", "read write"};
    BOOST_TEST(where.asked_scopes == wanted, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(M4_a_scope_that_was_asked_for_and_not_granted_is_not_asked_for_again)
{
    manners how;
    how.scope = "read write";
    how.call_scope = "write";
    server where{how};
    weft::oauth_options options;
    options.redirect = [&where] { return redirect_to_less(&where); };
    const call_outcome got = call(oauth_server::at(where, std::move(options)));
    BOOST_TEST((got.code == errc::mcp_unauthorized));
    BOOST_TEST(got.text.find("asked for already") != std::string::npos, got.text);
    BOOST_TEST(where.visits == 1);
}

BOOST_AUTO_TEST_CASE(M4_a_server_that_refuses_every_token_does_not_ask_a_person_again)
{
    manners how;
    how.refuses_all_tokens = true;
    server where{how};
    const auto got = weft::run_blocking(call_after(oauth_server::at(where, agreeing(where)), {nothing, nothing}));
    for (const auto& each : got) {
        BOOST_TEST((each.code == errc::mcp_unauthorized), each.text);
        BOOST_TEST(is_clean(each.text), each.text);
    }
    BOOST_TEST(where.visits == 1);
    BOOST_TEST(where.count("401") == 3);
}

BOOST_AUTO_TEST_CASE(M4_what_the_browser_brings_is_checked)
{
    server where;
    const call_outcome refused = call_with_visit(where, refuse_visit);
    BOOST_TEST((refused.code == errc::mcp_unauthorized));
    BOOST_TEST(refused.text.find("access_denied, Not today") != std::string::npos, refused.text);
    const call_outcome forged = call_with_visit(where, forge_visit);
    BOOST_TEST((forged.code == errc::mcp_unauthorized));
    BOOST_TEST(forged.text.find("without the state") != std::string::npos, forged.text);
    weft::oauth_options impatient;
    impatient.person_time_max = 20ms;
    const call_outcome late = call_with_visit(where, wait_visit, impatient);
    BOOST_TEST((late.code == errc::mcp_unauthorized));
    BOOST_TEST(late.text.find("not agreed to in time") != std::string::npos, late.text);
    BOOST_TEST(where.count("authorization_code") == 0);
    server other{[] {
        manners how;
        how.issuer_back = "https://other.example";
        return how;
    }()};
    const call_outcome mixed = call(oauth_server::at(other, agreeing(other)));
    BOOST_TEST(mixed.text.find("(iss)") != std::string::npos, mixed.text);
    BOOST_TEST(other.count("authorization_code") == 0);
}

BOOST_AUTO_TEST_CASE(M4_metadata_that_cannot_be_trusted_end_the_flow)
{
    const auto text_with = [](auto change) {
        manners how;
        change(how);
        server where{how};
        const call_outcome got = call(oauth_server::at(where, agreeing(where)));
        BOOST_TEST((got.code == errc::mcp_unauthorized));
        BOOST_TEST(where.visits == 0);
        BOOST_TEST(where.count("register") == 0);
        return got.text;
    };
    const auto has = [](const std::string& text, std::string_view part) { return text.find(part) != text.npos; };
    std::string text = text_with([](manners& how) { how.knows_pkce = false; });
    BOOST_TEST(has(text, "PKCE"), text);
    text = text_with([](manners& how) { how.resource = "https://other.example/mcp"; });
    BOOST_TEST(has(text, "another resource, 'https://other.example/mcp'"), text);
    text = text_with([](manners& how) { how.issuer = "https://other.example"; });
    BOOST_TEST(has(text, "another issuer, 'https://other.example'"), text);
    text = text_with([](manners& how) { how.location = "http://other.example/metadata"; });
    BOOST_TEST(has(text, "a redirect, 'http://other.example/metadata', is not used: it is not https"), text);
    text = text_with([](manners& how) { how.location = "https://169.254.169.254/latest/meta-data"; });
    BOOST_TEST(has(text, "not of the public internet"), text);
    text = text_with([](manners& how) { how.location = "/.well-known/oauth-authorization-server/as"; });
    BOOST_TEST(has(text, "too many redirects"), text);
    text = text_with([](manners& how) { how.registers = false; });
    BOOST_TEST(has(text, "no dynamic registration"), text);
}

BOOST_AUTO_TEST_CASE(M4_a_client_that_is_known_is_not_registered)
{
    server where;
    where.know_client("given", redirect_uri);
    weft::oauth_options given = agreeing(where);
    given.client_id = "given";
    BOOST_TEST(is_booked(call(oauth_server::at(where, given))));

    const std::string document = "https://app.example/client.json";
    where.know_client(document, redirect_uri);
    where.change([](manners& how) { how.knows_documents = true; });
    weft::oauth_options documented = agreeing(where);
    documented.client_metadata_url = document;
    BOOST_TEST(is_booked(call(oauth_server::at(where, documented))));
    BOOST_TEST(where.count("register") == 0);
    BOOST_TEST(where.complaints() == "");
}

BOOST_AUTO_TEST_CASE(M4_a_program_has_credentials_of_its_own)
{
    server where;
    weft::oauth_options options;
    options.grant = weft::oauth_grant::client_credentials;
    options.client_id = "id/1";
    options.client_secret = weft::secret_string{"secret%12345678"};
    options.scopes = {"book"};
    BOOST_CHECK_THROW((void)weft::mcp_http(weft::http_client{}, oauth_server::at(where, options)), weft::error);
    options.issuer = where.issuer();
    const auto forget = [&] { where.forget_tokens(); };
    const auto got = weft::run_blocking(call_after(oauth_server::at(where, options), {nothing, forget}));
    for (const auto& each : got) BOOST_TEST(is_booked(each), each.text);
    BOOST_TEST(where.complaints() == "");
    BOOST_TEST(where.count("client_credentials") == 2);

    options.issuer = "https://other.example";
    const call_outcome elsewhere = call(oauth_server::at(where, options));
    BOOST_TEST((elsewhere.code == errc::mcp_unauthorized));
    BOOST_TEST(elsewhere.text.find("not of the issuer that was given") != std::string::npos, elsewhere.text);
    BOOST_TEST(where.count("client_credentials") == 2);
}

BOOST_AUTO_TEST_CASE(M4_tokens_outlive_the_client_in_a_store)
{
    server where;
    const auto kept = std::make_shared<memory_tokens>();
    weft::oauth_options options = agreeing(where);
    options.tokens = kept;
    BOOST_TEST(is_booked(call(oauth_server::at(where, options))));
    BOOST_TEST(is_booked(call(oauth_server::at(where, options))));
    BOOST_TEST(where.visits == 1);
    BOOST_TEST(where.count("401") == 1);
    where.forget_tokens();  // the refresh token of the store still works
    BOOST_TEST(is_booked(call(oauth_server::at(where, options))));
    BOOST_TEST(where.visits == 1);
    BOOST_TEST(where.count("refresh_token") == 1);
    BOOST_TEST(where.complaints() == "");

    // A refresh token goes to the issuer only that gave it.
    auto tokens = weft::oauth_tokens::from_text(kept->kept.at(where.url())).value();
    tokens.issuer = "https://other.example";
    kept->kept[where.url()] = tokens.to_text().reveal();
    where.forget_tokens();
    BOOST_TEST(is_booked(call(oauth_server::at(where, options))));
    BOOST_TEST(where.count("refresh_token") == 1);
    BOOST_TEST(where.visits == 2);
}

BOOST_AUTO_TEST_CASE(M4_a_program_that_can_ask_no_person_says_so)
{
    server where;
    const call_outcome got = call(oauth_server::at(where, weft::oauth_options{}));
    BOOST_TEST((got.code == errc::mcp_unauthorized));
    BOOST_TEST(got.text.find("give `oauth` a `redirect`") != std::string::npos, got.text);
    weft::mcp_endpoint both = oauth_server::at(where, agreeing(where));
    both.token = weft::secret_string{"x"};
    BOOST_CHECK_THROW((void)weft::mcp_http(weft::http_client{}, both), weft::error);
    weft::mcp_endpoint open{"http://mcp.example/mcp"};
    open.oauth = agreeing(where);
    BOOST_CHECK_THROW((void)weft::mcp_http(weft::http_client{}, open), weft::error);
}

BOOST_AUTO_TEST_SUITE_END()
