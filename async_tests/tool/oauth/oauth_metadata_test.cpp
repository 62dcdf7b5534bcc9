#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>

#include "tool/oauth/oauth_metadata.hpp"

#include <string>

BOOST_AUTO_TEST_SUITE(oauth_metadata_test)

namespace {

using weft::url;

std::string places(const std::vector<url>& urls)
{
    std::string list;
    for (const url& each : urls) list += each.to_string() + "\n";
    return list;
}

template <class Read>
std::string refusal(Read read)
{
    try {
        read();
    } catch (const weft::error& e) {
        BOOST_TEST((e.code() == weft::errc::mcp_unauthorized));
        BOOST_TEST(e.where() == "here");
        return e.detail();
    }
    return "taken";
}

std::string resource_refusal(const std::string& json, const std::string& server = "https://a.example/team/mcp")
{
    return refusal([&] { (void)weft::oauth_resource_metadata::read(json, url{server}, "here"); });
}

std::string server_refusal(const std::string& json, const std::string& issuer = "https://as.example")
{
    return refusal([&] { (void)weft::oauth_server_metadata::read(json, issuer, "here"); });
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(M4_well_known_places_keep_the_path)
{
    BOOST_TEST(places(weft::oauth_resource_metadata_urls(url{"https://a.example/team/mcp"})) ==
               "https://a.example/.well-known/oauth-protected-resource/team/mcp\n"
               "https://a.example/.well-known/oauth-protected-resource\n");
    BOOST_TEST(places(weft::oauth_resource_metadata_urls(url{"https://a.example:8443"})) ==
               "https://a.example:8443/.well-known/oauth-protected-resource\n");
    BOOST_TEST(places(weft::oauth_server_metadata_urls(url{"https://as.example"})) ==
               "https://as.example/.well-known/oauth-authorization-server\n"
               "https://as.example/.well-known/openid-configuration\n");
    BOOST_TEST(places(weft::oauth_server_metadata_urls(url{"https://as.example/t1/"})) ==
               "https://as.example/.well-known/oauth-authorization-server/t1\n"
               "https://as.example/.well-known/openid-configuration/t1\n"
               "https://as.example/t1/.well-known/openid-configuration\n");
}

BOOST_AUTO_TEST_CASE(M4_metadata_of_a_resource_are_for_this_resource)
{
    const auto with = [](const std::string& resource) {
        return R"({"resource": ")" + resource + R"(", "authorization_servers": ["https://as.example"]})";
    };
    BOOST_TEST(resource_refusal(with("https://a.example/team/mcp")) == "taken");
    BOOST_TEST(resource_refusal(with("https://A.example:443/team/")) == "taken");
    BOOST_TEST(resource_refusal(with("https://a.example")) == "taken");
    for (const char* other : {"https://b.example/team/mcp", "https://a.example/tea", "https://a.example/team/mcp/x",
                              "https://a.example:8443/team/mcp"})
        BOOST_TEST(has(resource_refusal(with(other)), "another resource"), other);
    BOOST_TEST(has(resource_refusal(with("http://a.example/team/mcp")), "it is not https"));
    BOOST_TEST(has(resource_refusal(with("https://127.0.0.1/team/mcp")), "leads to this machine"));
    BOOST_TEST(resource_refusal(with("http://127.0.0.1:81/mcp"), "http://127.0.0.1:81/mcp") == "taken");
    BOOST_TEST(has(resource_refusal(R"({"resource": "https://a.example"})"), "names no authorization server"));
    BOOST_TEST(has(resource_refusal("[]"), "no JSON object"));
    BOOST_TEST(has(resource_refusal("<html>"), "cannot be read"));
    BOOST_TEST(has(resource_refusal(std::string(weft::oauth_document_bytes_max + 1, ' ')), "too large"));
}

BOOST_AUTO_TEST_CASE(M4_metadata_of_a_server_are_of_its_issuer_and_name_https_only)
{
    const auto with = [](const std::string& more) {
        return R"({"issuer": "https://as.example", "token_endpoint": "https://as.example/token")" + more + "}";
    };
    BOOST_TEST(server_refusal(with("")) == "taken");
    BOOST_TEST(server_refusal(with(""), "https://as.example/") == "taken");
    BOOST_TEST(has(server_refusal(with(""), "https://as.example/t1"), "another issuer"));
    BOOST_TEST(has(server_refusal(R"({"issuer": "https://as.example"})"), "no token_endpoint"));
    for (const char* place :
         {"http://as.example/x", "javascript:alert(1)", "file:///etc/passwd", "https://u:p@as.example",
          "http://localhost:8080/admin", "https://[::1]/"})
        BOOST_TEST(has(server_refusal(with(R"(, "authorization_endpoint": ")" + std::string{place} + "\"")),
                       "the authorization_endpoint of the authorization server"),
                   place);
    const auto read = weft::oauth_server_metadata::read(
        with(R"(, "code_challenge_methods_supported": ["S256", 7, null], "scopes_supported": 1,
              "authorization_response_iss_parameter_supported": true)"),
        "https://as.example", "here");
    BOOST_TEST(read.challenge_methods == std::vector<std::string>{"S256"}, boost::test_tools::per_element());
    BOOST_TEST(read.names_issuer);
    BOOST_TEST(!read.knows_metadata_documents);
}

BOOST_AUTO_TEST_SUITE_END()
