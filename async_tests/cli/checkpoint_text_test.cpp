#include "files.hpp"
#include "graph/compat_report.hpp"
#include "graph/run_input.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/people_lines.hpp"
#include "thread/checkpoint_text.hpp"
#include "thread/thread_status.hpp"

#include <boost/test/unit_test.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(checkpoint_text_test)

namespace {

weft::snapshot_difference two_changes()
{
    weft::checkpoint_outline before;
    before.steps = 1;
    before.visits = {{"draft", 1}};
    before.next_nodes = {"review"};
    before.state = {{"text", "a"}, {"gone", 1}};
    weft::checkpoint_outline after = before;
    after.steps = 2;
    after.visits.emplace("review", 1);
    after.next_nodes = {};
    after.state = {{"text", "b"}};
    return compare(before, after);
}

}  // namespace

BOOST_AUTO_TEST_CASE(sizes_and_counts_are_written_as_people_say_them)
{
    BOOST_TEST(weft_cli::bytes_text(0) == "0 B");
    BOOST_TEST(weft_cli::bytes_text(999) == "999 B");
    BOOST_TEST(weft_cli::bytes_text(1'234) == "1.2 kB");
    BOOST_TEST(weft_cli::bytes_text(45'678) == "46 kB");
    BOOST_TEST(weft_cli::bytes_text(999'600) == "1.0 MB");
    BOOST_TEST(weft_cli::counted_text(0, "question") == "no questions");
    BOOST_TEST(weft_cli::counted_text(1, "question") == "1 question");
}

BOOST_AUTO_TEST_CASE(a_difference_names_keys_visits_steps_and_where_it_goes_on)
{
    const std::string text = weft_cli::difference_text(two_changes(), console::screen{-1});
    BOOST_TEST(has(text, "key text\n  -         a\n  +         b\n"), text);
    BOOST_TEST(has(text, "key gone\n  -         1\n  +         (no value)\n"), text);
    BOOST_TEST(has(text, "review: 0 -> 1"), text);
    BOOST_TEST(has(text, "review -> (nothing)"), text);
    const boost::json::object json = weft_cli::to_json(two_changes());
    BOOST_TEST(json.at("keys").at("text").at("after") == "b");
    BOOST_TEST(!json.at("keys").at("gone").as_object().contains("after"));
    BOOST_TEST(has(weft_cli::difference_text({}, console::screen{-1}), "same place"));
}

BOOST_AUTO_TEST_CASE(a_checkpoint_is_named_by_its_number_and_the_thread_before_it)
{
    const weft::thread_key mine{"mine", "acme"};
    BOOST_TEST((weft_cli::checkpoint_named("--diff", "4", mine).first == mine));
    BOOST_TEST(*weft_cli::checkpoint_named("--diff", "4", mine).second == 4);
    const auto other = weft_cli::checkpoint_named("--diff", "a@b@12", mine);
    BOOST_TEST(other.first.thread == "a@b");
    BOOST_TEST(other.first.tenant == "acme");
    BOOST_TEST(*other.second == 12);
    BOOST_TEST(!weft_cli::checkpoint_named("--diff", "other@", mine).second);
    for (const char* wrong : {"", "x", "0", "-1", "@3", "4x"})
        BOOST_CHECK_THROW((void)weft_cli::checkpoint_named("--diff", wrong, mine), weft_cli::usage_error);
}

BOOST_AUTO_TEST_CASE(a_report_fails_if_one_thread_cannot_go_on)
{
    weft_cli::compat_report report;
    report.store = "weft.db";
    report.threads = {{"a", "finished", {}}};
    BOOST_TEST(report.exit_code() == weft_cli::all_good);
    report.threads.push_back({"b", "waiting", {"node 'web': it is gone"}});
    report.elsewhere = 1;
    BOOST_TEST(report.exit_code() == weft_cli::has_failed);
    const std::string text = compat_text(report, console::screen{-1});
    BOOST_TEST(has(text, "1 can go on"), text);
    BOOST_TEST(has(text, "  cannot  b (waiting)\n            node 'web': it is gone\n"), text);
    BOOST_TEST(has(text, "1 thread in yet another revision"), text);
    BOOST_TEST(weft_cli::to_json(report).at("threads").at(1).at("can_go_on") == false);
}

BOOST_AUTO_TEST_SUITE_END()
