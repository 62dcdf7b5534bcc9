#include <boost/test/unit_test.hpp>

#include "graph_keys.hpp"

#include <boost/asio/io_context.hpp>

using namespace weft_tests;

namespace {

struct quiet_host final : weft::node_host {
    void emit(const weft::node_context& from, std::string_view kind, std::string_view text) override
    {
        heard.append(from.node()).append(" ").append(kind).append(": ").append(text).append("\n");
    }
    std::string_view thread() const noexcept override { return "t-1"; }
    std::shared_ptr<weft::budget_ledger> budget() const noexcept override { return nullptr; }
    weft::task<weft::command> run_inside(weft::node_context&, const weft::subgraph&) override { return {}; }
    bool is_watched() const noexcept override { return has_watchers; }
    std::string heard;
    bool has_watchers = true;
};

/** A node 'judge' at its second visit and third attempt, in a branch of a run with a score and a total. */
struct at_work {
    boost::asio::io_context io;
    weft::stop_scope scope;
    weft::task_context task{&weft::serial_loop::of(io), &scope};
    quiet_host host;
    std::shared_ptr<const weft::state_layout> layout = all_keys();
    weft::branch_state root{weft::state{layout}};
    weft::branch_state branch{&root};
    weft::node_context context{host, task, branch, {"judge", 2, 3}};

    at_work()
    {
        weft::write_set writes;
        writes.push_back(write(*layout, score, 1));
        writes.push_back(write(*layout, total, 100));
        root.commit(std::move(writes));
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(node_context_test, at_work)

BOOST_AUTO_TEST_CASE(it_says_which_visit_this_is)
{
    BOOST_TEST(context.node() == "judge");
    BOOST_TEST(context.visit() == 2u);
    BOOST_TEST(context.attempt() == 3u);
    BOOST_TEST(context.thread() == "t-1");
    BOOST_TEST(!context.previous_failure());
    BOOST_TEST(context.branches().empty());
}

BOOST_AUTO_TEST_CASE(reads_see_the_branch)
{
    BOOST_TEST(context.get(score) == 1);
    BOOST_TEST(context.find(topic) == nullptr);
    BOOST_TEST(context.value_or(topic, "none") == "none");
    BOOST_TEST(context.value_or(score, 7) == 1);
}

BOOST_AUTO_TEST_CASE(a_node_reads_its_own_writes_and_nobody_else_does)
{
    context.set(score, 2);
    context.set(topic, "rain");
    BOOST_TEST(context.get(score) == 2);
    BOOST_TEST(context.get(topic) == "rain");
    context.set(score, 3);
    BOOST_TEST(context.get(score) == 3);
    BOOST_TEST(seen(branch, score) == 1);
}

BOOST_AUTO_TEST_CASE(updates_are_joined_to_what_the_branch_has)
{
    context.set(total, 1);
    BOOST_TEST(context.get(total) == 101);
    context.set(total, 2);
    BOOST_TEST(context.get(total) == 103);
    BOOST_TEST(seen(branch, total) == 100);
}

BOOST_AUTO_TEST_CASE(an_overwrite_replaces_the_value_of_a_reducer_key)
{
    context.set(total, 1);
    context.overwrite(total, 5);
    BOOST_TEST(context.get(total) == 5);
    context.set(total, 2);
    BOOST_TEST(context.get(total) == 7);
}

BOOST_AUTO_TEST_CASE(the_writes_are_taken_over_in_order_and_published_ones_are_marked)
{
    context.set(total, 1);
    context.publish(total, 2);
    const weft::write_set& writes = context.writes();
    BOOST_REQUIRE_EQUAL(writes.size(), 2u);
    BOOST_TEST(!writes[0].is_published);
    BOOST_TEST(writes[1].is_published);
}

BOOST_AUTO_TEST_CASE(a_snapshot_has_the_branch_but_not_the_own_writes)
{
    context.set(score, 2);
    BOOST_TEST(context.snapshot().get(score) == 1);
}

BOOST_AUTO_TEST_CASE(missing_unknown_and_mistyped_keys_are_named)
{
    constexpr weft::state_key<int> unknown{"unknown"};
    constexpr weft::state_key<std::string> mistyped{"score"};
    BOOST_CHECK_EXCEPTION(static_cast<void>(context.get(topic)), weft::error,
                          says(weft::errc::missing_state_value, {"node 'judge'", "key 'topic'"}));
    BOOST_CHECK_EXCEPTION(static_cast<void>(context.get(unknown)), weft::error,
                          says(weft::errc::unknown_state_key, {"node 'judge'", "key 'unknown'"}));
    BOOST_CHECK_EXCEPTION(context.set(unknown, 1), weft::error,
                          says(weft::errc::unknown_state_key, {"node 'judge'", "key 'unknown'"}));
    BOOST_CHECK_EXCEPTION(context.set(mistyped, "x"), weft::error,
                          says(weft::errc::state_type_mismatch, {"node 'judge'", "key 'score'"}));
}

BOOST_AUTO_TEST_CASE(a_text_that_is_made_for_watchers_is_made_only_where_there_are_some)
{
    int made = 0;
    const auto make = [&made] { return "verdict " + std::to_string(++made); };
    context.emit("judge", make);
    host.has_watchers = false;
    BOOST_TEST(!context.is_watched());
    context.emit("judge", make);  // still a sign of life
    BOOST_TEST(made == 1);
    BOOST_TEST(host.heard == "judge judge: verdict 1\njudge judge: \n");
}

BOOST_AUTO_TEST_CASE(what_it_emits_goes_to_the_host)
{
    context.emit("half way");
    context.emit("token", "rain");
    BOOST_TEST(host.heard == "judge output: half way\njudge token: rain\n");
}

BOOST_AUTO_TEST_CASE(it_hears_a_stop)
{
    const std::stop_token token = context.stop_token();
    BOOST_TEST(!context.stop_requested());
    scope.request_stop();
    BOOST_TEST(context.stop_requested());
    BOOST_TEST(token.stop_requested());
}

BOOST_AUTO_TEST_SUITE_END()
