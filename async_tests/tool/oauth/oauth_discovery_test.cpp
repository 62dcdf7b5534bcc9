#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>

#include "tool/oauth/oauth_discovery.hpp"

#include <string>

BOOST_AUTO_TEST_SUITE(oauth_discovery_test)

namespace {

using weft::oauth_search;

const weft::url server{"https://a.example/mcp"};
constexpr const char* resource =
    R"({"resource": "https://a.example", "authorization_servers": ["https://one.example", "https://two.example/t"]})";

std::string refusal(oauth_search search, int status, std::string_view body)
{
    try {
        search.on_response(status, body);
    } catch (const weft::error& e) {
        BOOST_TEST((e.code() == weft::errc::mcp_unauthorized));
        return e.detail();
    }
    return "taken";
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(M4_the_first_authorization_server_counts_or_the_one_that_is_wanted)
{
    oauth_search any{server, "", ""};
    any.on_response(200, resource);
    BOOST_TEST(any.target().to_string() == "https://one.example/.well-known/oauth-authorization-server");

    oauth_search second{server, "https://a.example/here", "https://two.example/t/"};
    BOOST_TEST(second.target().to_string() == "https://a.example/here");
    second.on_response(200, resource);
    for (const char* place : {"/.well-known/oauth-authorization-server/t", "/.well-known/openid-configuration/t",
                              "/t/.well-known/openid-configuration"}) {
        BOOST_TEST(second.target().to_string() == "https://two.example" + std::string{place});
        if (place[1] == '.') second.on_response(404, "");
    }
    second.on_response(200, R"({"issuer": "https://two.example/t", "token_endpoint": "https://two.example/token"})");
    BOOST_TEST(second.is_done());
    BOOST_TEST(second.found().server.issuer == "https://two.example/t");

    const oauth_search other{server, "", "https://three.example"};
    BOOST_TEST(has(refusal(other, 200, resource), "takes tokens of 'https://one.example', 'https://two.example/t', and "
                                                  "not of the issuer that was given, 'https://three.example'"));
}

BOOST_AUTO_TEST_CASE(M4_a_search_ends_where_nothing_is_to_be_found)
{
    oauth_search search{server, "", ""};
    BOOST_TEST(has(refusal(search, 500, ""), "HTTP status 500"));
    search.on_response(404, "");
    BOOST_TEST(has(refusal(search, 404, ""), "oauth-protected-resource answers with HTTP status 404"));
    const oauth_search told{server, "https://a.example/here", ""};
    BOOST_TEST(has(refusal(told, 404, ""), "https://a.example/here answers"));
    BOOST_CHECK_THROW((oauth_search{server, "http://a.example/here", ""}), weft::error);
}

BOOST_AUTO_TEST_SUITE_END()
