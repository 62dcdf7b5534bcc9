#include <boost/test/unit_test.hpp>

#include "tool/own_directory.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/base/error.hpp>
#include <weft/tool/oauth/oauth_token_file.hpp>

#include <filesystem>
#include <fstream>
#include <string>

BOOST_AUTO_TEST_SUITE(oauth_token_file_test)

namespace {

namespace fs = std::filesystem;

std::string load(weft::oauth_token_store& store, std::string server)
{
    return std::string{weft::run_blocking(store.load(std::move(server))).reveal()};
}

void save(weft::oauth_token_store& store, std::string server, std::string_view text)
{
    weft::run_blocking(store.save(std::move(server), weft::secret_string{text}));
}

std::string refusal(weft::oauth_token_store& store)
{
    try {
        (void)load(store, "a");
    } catch (const weft::error& e) {
        BOOST_TEST((e.code() == weft::errc::invalid_configuration));
        return e.detail();
    }
    return "taken";
}

}  // namespace

BOOST_AUTO_TEST_CASE(M4_tokens_of_several_servers_are_kept_for_the_owner_alone)
{
    const weft_tests::own_directory place{"oauth_token_file"};
    const std::string path = (place.path() / "tokens.json").string();
    const auto first = weft::oauth_token_file(path);
    BOOST_TEST(load(*first, "https://a") == "");
    save(*first, "https://a", "{\"access_token\":\"x\"}");
    const auto second = weft::oauth_token_file(path);
    save(*second, "https://b", "b");
    BOOST_TEST(load(*first, "https://a") == "{\"access_token\":\"x\"}");
    BOOST_TEST(load(*first, "https://b") == "b");
    BOOST_TEST((fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write)));
    save(*first, "https://a", "");
    BOOST_TEST(load(*second, "https://a") == "");
    BOOST_TEST(!fs::exists(path + ".new"));
}

BOOST_AUTO_TEST_CASE(M4_a_file_that_others_may_read_or_that_is_something_else_is_refused)
{
    const weft_tests::own_directory place{"oauth_token_file"};
    const std::string path = (place.path() / "tokens.json").string();
    const auto store = weft::oauth_token_file(path);
    std::ofstream{path} << "no tokens";
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    BOOST_TEST(refusal(*store) == "it is no file of tokens");
    BOOST_CHECK_THROW(save(*store, "a", "b"), weft::error);
    std::ofstream{path} << "{}";
    BOOST_TEST(refusal(*store) == "taken");
    fs::permissions(path, fs::perms::group_read, fs::perm_options::add);
    BOOST_TEST(refusal(*store).find("chmod 600") != std::string::npos);
    fs::remove(path);
    fs::create_directory(path);
    BOOST_TEST(refusal(*store) == "it is no file");
}

BOOST_AUTO_TEST_SUITE_END()
