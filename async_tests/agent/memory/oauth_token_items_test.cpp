#include <weft/agent/memory/oauth_token_items.hpp>

#include <weft/async/run_blocking.hpp>
#include <weft/store/memory_items.hpp>

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>

BOOST_AUTO_TEST_SUITE(oauth_token_items_test)

namespace {

std::string load(weft::oauth_token_store& tokens, std::string server)
{
    return std::string{weft::run_blocking(tokens.load(std::move(server))).reveal()};
}

void save(weft::oauth_token_store& tokens, std::string server, std::string_view text)
{
    weft::run_blocking(tokens.save(std::move(server), weft::secret_string{text}));
}

}  // namespace

BOOST_AUTO_TEST_CASE(M4_tokens_are_items_of_a_tenant_by_server)
{
    const auto store = std::make_shared<weft::memory_items>();
    const auto ours = weft::oauth_token_items(store, "us");
    const auto theirs = weft::oauth_token_items(store, "them");
    BOOST_TEST(load(*ours, "https://a.example/mcp") == "");
    save(*ours, "https://a.example/mcp", "a");
    save(*ours, "https://b.example/mcp", "b");
    BOOST_TEST(load(*ours, "https://a.example/mcp") == "a");
    BOOST_TEST(load(*ours, "https://b.example/mcp") == "b");
    BOOST_TEST(load(*theirs, "https://a.example/mcp") == "");
    save(*ours, "https://a.example/mcp", "");
    BOOST_TEST(load(*ours, "https://a.example/mcp") == "");
    BOOST_TEST(load(*weft::oauth_token_items(store, "us"), "https://b.example/mcp") == "b");
}

BOOST_AUTO_TEST_SUITE_END()
