#include "graph/run_input.hpp"
#include "store/store_place.hpp"
#include "store/store_problem.hpp"
#include "terminal/shell_word.hpp"

#include <boost/test/unit_test.hpp>

#include <map>
#include <optional>
#include <string>

using weft_cli::shell_word;
using weft_cli::store_place;
using weft_cli::store_args;

BOOST_AUTO_TEST_SUITE(store_place_test)

namespace {

weft::environment_lookup environment(std::map<std::string, std::string> values = {})
{
    return [values](const std::string& name) -> std::optional<std::string> {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional{found->second};
    };
}

store_place place_of(const std::string& word) { return store_place::of(store_args{word, {}, {}}, environment()); }

}  // namespace

BOOST_AUTO_TEST_CASE(the_command_line_comes_before_the_environment_and_that_before_the_usual_file)
{
    const auto both = environment({{"WEFT_STORE", "theirs.db"}});
    BOOST_TEST(store_place::of(store_args{"mine.db", {}, {}}, both).where == "mine.db");
    BOOST_TEST(store_place::of({}, both).where == "theirs.db");
    BOOST_TEST(store_place::of({}, environment()).where == "weft.db");
}

BOOST_AUTO_TEST_CASE(an_address_is_postgresql_and_everything_else_a_file)
{
    BOOST_TEST((place_of("postgresql://h/d").what == store_place::kind::postgres));
    BOOST_TEST((place_of("postgres://h/d").what == store_place::kind::postgres));
    BOOST_TEST((place_of("a/b.db").what == store_place::kind::sqlite));
    BOOST_CHECK_EXCEPTION((void)place_of("mysql://me:secret@h/d"), weft_cli::usage_error, [](const auto& e) {
        const std::string text = e.what();
        return text.find("mysql://") != text.npos && text.find("postgresql://") != text.npos &&
               text.find("secret") == text.npos;
    });
    BOOST_CHECK_THROW((void)place_of(":memory:"), weft_cli::usage_error);
}

BOOST_AUTO_TEST_CASE(no_password_is_ever_shown)
{
    const std::pair<const char*, const char*> cases[] = {
        {"postgresql://me:secret@h:5432/d", "postgresql://me:***@h:5432/d"},
        {"postgresql://me:se@cr/et:@h/d", "postgresql://me:***@h/d"},
        {"postgresql://me@h:5432/d", "postgresql://me@h:5432/d"},
        {"postgresql://h:5432/d", "postgresql://h:5432/d"},
        {"postgresql://me@h/d?password=secret&sslmode=require", "postgresql://me@h/d?password=***&sslmode=require"},
        {"postgresql://me@h/d?sslpassword=secret", "postgresql://me@h/d?sslpassword=***"},
        {"postgresql://:secret@h/d", "postgresql://:***@h/d"},
    };
    for (const auto& [word, shown] : cases) {
        BOOST_TEST(place_of(word).shown() == shown);
        BOOST_TEST(place_of(word).where == word);
        BOOST_TEST(place_of(word).option().find("secret") == std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(further_commands_name_what_this_one_had_to_name)
{
    BOOST_TEST(store_place::of({}, environment({{"WEFT_STORE", "x.db"}})).option() == "");
    BOOST_TEST(place_of("my runs.db").option() == " --store 'my runs.db'");
    BOOST_TEST(store_place::of(store_args{{}, "acme", {}}, environment()).option() == " --tenant acme");
}

BOOST_AUTO_TEST_CASE(keys_of_a_sealed_store_are_named_like_the_store)
{
    const auto theirs = environment({{"WEFT_STORE_KEYS", "theirs"}});
    BOOST_TEST(store_place::of({}, theirs).keys == "theirs");
    BOOST_TEST(store_place::of({}, theirs).option() == "");
    BOOST_TEST(store_place::of(store_args{{}, {}, "mine"}, theirs).keys == "mine");
    BOOST_TEST(store_place::of(store_args{{}, {}, "mine"}, theirs).option() == " --keys mine");
}

BOOST_AUTO_TEST_CASE(a_word_for_the_shell_is_quoted_if_it_must_be)
{
    BOOST_TEST(shell_word("trip-1") == "trip-1");
    BOOST_TEST(shell_word("review#1/ask#0=send") == "'review#1/ask#0=send'");
    BOOST_TEST(shell_word("it's") == "'it'\\''s'");
    BOOST_TEST(shell_word("") == "''");
    BOOST_TEST(shell_word("a\x1b[2Jb").find('\x1b') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_may_go_well_later_ends_otherwise_than_what_cannot_be)
{
    BOOST_TEST(weft_cli::exit_code_for(weft::errc::store_in_use) == 1);
    BOOST_TEST(weft_cli::exit_code_for(weft::errc::thread_is_busy) == 1);
    BOOST_TEST(weft_cli::exit_code_for(weft::errc::thread_not_found) == 2);
    BOOST_TEST(weft_cli::exit_code_for(weft::errc::store_corrupt) == 2);
}

BOOST_AUTO_TEST_SUITE_END()
