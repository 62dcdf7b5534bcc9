#include <boost/test/unit_test.hpp>

#include "engine/durable/inner_restarts.hpp"

#include <weft/base/budget_ledger.hpp>
#include <weft/engine/run/checkpoint_saver.hpp>
#include <weft/engine/scheduler/frontier.hpp>

using namespace weft_tests;
using weft::durability;
using weft::run_result;
using weft::run_status;

BOOST_AUTO_TEST_SUITE(inner_runs_test)

namespace {

/** Keeps the newest frontier in memory. */
class memory_saver final : public weft::checkpoint_saver {
public:
    weft::task<void> save(weft::frontier where, weft::checkpoint_kind, std::string) override
    {
        last = std::make_shared<const weft::frontier>(std::move(where));
        return nothing();
    }

    std::shared_ptr<const weft::frontier> last;

private:
    static weft::task<void> nothing() { co_return; }
};

/** Runs of a graph that are kept in memory, each of which goes on where the one before was broken off. */
class kept_runs {
public:
    kept_runs(weft::graph of, durability mode) : engine_{std::move(of)}, mode_{mode} {}

    run_result next(weft::run_request request = {})
    {
        started_.clear();
        weft::run_options limits = request.limits();
        weft::save_options saves{saver_};
        saves.mode = mode_;
        limits.save_by(std::move(saves));
        request.options(std::move(limits)).on_event([this](const weft::run_event& event) {
            if (event.what == weft::run_event::kind::node_started) started_.emplace_back(event.node);
            if (watch) watch(event);
        });
        if (saver_->last) request.resume(saver_->last);
        return sim.run(engine_.run(std::move(request)));
    }
    [[nodiscard]] const weft::frontier& last() const { return *saver_->last; }
    /** The nodes that the newest run has started, at any depth. */
    [[nodiscard]] const std::vector<std::string>& started() const { return started_; }

    weft::testing::simulation sim{1};
    std::function<void(const weft::run_event&)> watch;

private:
    weft::engine engine_;
    durability mode_;
    std::shared_ptr<memory_saver> saver_ = std::make_shared<memory_saver>();
    std::vector<std::string> started_;
};

/** When it is stopped, it holds the loop for a while: what is stopped inside of other nodes hears of it later. */
weft::task<void> delays_stops(weft::node_context&, weft::testing::manual_clock& clock)
{
    bool is_stopped = false;
    try {
        co_await weft::sleep_for(40ms);
    } catch (const weft::error&) {
        is_stopped = true;
    }
    if (is_stopped) clock.jump_to(clock.now() + 5ms);
}

constexpr durability all_modes[] = {durability::every_step, durability::async_steps, durability::on_exit};

const std::vector<std::string> ten{"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9", "n10"};

using names = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_CASE(P2_of_ten_nodes_within_a_node_a_resume_begins_with_the_one_that_failed)
{
    for (const durability mode : all_modes)
        for (const int depth : {1, 2, 3}) {
            auto at = std::make_shared<trouble>();
            kept_runs runs{around(troubled_chain(ten, at), at, depth), mode};
            at->failing = {"n7"};
            const run_result failed = runs.next();
            BOOST_TEST((failed.status == run_status::failed));
            at->clear();
            const run_result result = runs.next();
            BOOST_TEST((result.status == run_status::finished));
            BOOST_TEST(at->not_once(ten) == "");
            BOOST_TEST(at->begun["n6"] == 1);
            BOOST_TEST(at->begun["n7"] == 2);
            BOOST_TEST(at->begun[depth == 1 ? "a" : "a1"] == 1);
            BOOST_TEST(result.state.get(total) == 10 + 2 * depth);
            BOOST_TEST(result.state.get(words).size() == static_cast<std::size_t>(10 + 2 * depth));
            BOOST_TEST(result.steps == 3u);
        }
}

BOOST_AUTO_TEST_CASE(P2_graphs_in_branches_go_on_where_they_failed_or_were_cut_short)
{
    for (const durability mode : all_modes) {
        auto at = std::make_shared<trouble>();
        const weft::graph left = troubled_chain({"l1", "l2", "l3"}, at, 10ms);
        const weft::graph right = troubled_chain({"r1", "r2", "r3"}, at, 14ms);
        weft::graph_builder builder = empty_graph("outer");
        builder.node("s", troubled(at, 1ms)).node("left", added(left)).node("right", added(right));
        builder.node("p", troubled(at, 2ms)).node("j", troubled(at, 1ms));
        builder.edge(weft::start, "s").edge("s", "left").edge("s", "right").edge("s", "p");
        builder.edge("left", "j").edge("right", "j").edge("p", "j");
        kept_runs runs{builder.build(), mode};
        at->failing = {"l2"};
        const run_result failed = runs.next();
        BOOST_TEST((failed.resume_from == std::vector<std::string_view>{"left", "right"}));
        BOOST_TEST(at->done["r1"] == 1);
        BOOST_TEST(at->begun["r2"] == 1);
        at->clear();
        const run_result result = runs.next();
        BOOST_TEST((result.status == run_status::finished));
        BOOST_TEST(runs.started() == (names{"left", "l2", "right", "r2", "l3", "r3", "j"}));
        BOOST_TEST(at->not_once({"s", "p", "j", "l1", "l2", "l3", "r1", "r2", "r3"}) == "");
        BOOST_TEST(result.state.get(total) == 9);
    }
}

BOOST_AUTO_TEST_CASE(P2_within_the_fan_out_of_an_inner_graph_finished_branches_stay)
{
    for (const durability mode : all_modes) {
        auto at = std::make_shared<trouble>();
        weft::graph_builder inner = empty_graph("inner");
        inner.node("o", troubled(at, 1ms)).node("p", troubled(at, 5ms)).node("q", troubled(at, 9ms));
        inner.node("r", troubled(at, 50ms)).node("k", troubled(at, 1ms));
        inner.edge(weft::start, "o").edge("o", "p").edge("o", "q").edge("o", "r");
        inner.edge("p", "k").edge("q", "k").edge("r", "k");
        kept_runs runs{around(inner.build(), at, 2), mode};
        at->failing = {"q"};
        static_cast<void>(runs.next());
        at->clear();
        const run_result result = runs.next();
        BOOST_TEST((result.status == run_status::finished));
        BOOST_TEST(runs.started() == (names{"in1", "in2", "q", "r", "k", "z2", "z1"}));
        BOOST_TEST(sorted_words(result.state) == (names{"a1", "a2", "k", "o", "p", "q", "r", "z1", "z2"}));
        BOOST_TEST(result.state.get(total) == 9);
    }
}

BOOST_AUTO_TEST_CASE(P2_a_stopped_run_goes_on_within_the_graphs_of_its_nodes_with_what_was_published)
{
    enum class end { cancelled, out_of_time };
    for (const durability mode : all_modes)
        for (const end how : {end::cancelled, end::out_of_time}) {
            auto at = std::make_shared<trouble>();
            bool publishes = true;
            const auto slow = [&publishes](weft::node_context& context) {
                if (std::exchange(publishes, false)) context.publish(other, 5);
                return sleep_node(context, 10ms);
            };
            weft::graph_builder inner = empty_graph("inner");
            inner.node("n1", troubled(at)).node("n2", slow).node("n3", troubled(at));
            inner.edge(weft::start, "n1").edge("n1", "n2").edge("n2", "n3");
            kept_runs runs{around(inner.build(), at, 2), mode};
            std::stop_source stop;
            runs.watch = [&stop, how](const weft::run_event& event) {
                const bool is_there = event.what == weft::run_event::kind::node_started && event.node == "n2";
                if (is_there && how == end::cancelled) stop.request_stop();
            };
            weft::run_options limits;
            if (how == end::out_of_time) limits.elapsed_max(25ms);
            weft::run_request request{"t"};
            request.options(limits).stop(stop.get_token());
            const run_result stopped = runs.next(std::move(request));
            BOOST_TEST((stopped.status == (how == end::cancelled ? run_status::cancelled : run_status::failed)));
            runs.watch = {};
            const run_result result = runs.next();
            BOOST_TEST((result.status == run_status::finished));
            BOOST_TEST(runs.started() == (names{"in1", "in2", "n2", "n3", "z2", "z1"}));
            BOOST_TEST(result.state.get(other) == 5);
            BOOST_TEST(result.state.get(total) == 6);
        }
}

BOOST_AUTO_TEST_CASE(P2_a_node_that_ran_out_of_time_goes_on_within_its_graph)
{
    for (const durability mode : all_modes) {
        auto at = std::make_shared<trouble>();
        kept_runs runs{around(troubled_chain({"n1", "n2", "n3", "n4", "n5"}, at), at, 1, {.timeout = 25ms}), mode};
        int failures = 0;
        run_result result = runs.next();
        for (; result.status == run_status::failed && failures < 5; ++failures) {
            BOOST_TEST((result.why->code == weft::errc::node_timeout));
            result = runs.next();
        }
        BOOST_TEST((result.status == run_status::finished));
        BOOST_TEST(failures == 2);  // two nodes in each 25 ms
        BOOST_TEST(at->not_once({"n1", "n2", "n3", "n4", "n5"}) == "");
    }
}

BOOST_AUTO_TEST_CASE(P2_a_retry_begins_the_graph_anew_and_a_resume_goes_on_in_the_last_attempt)
{
    for (const durability mode : all_modes) {
        auto at = std::make_shared<trouble>();
        kept_runs runs{around(troubled_chain({"n1", "n2", "n3"}, at), at, 1, tries(2)), mode};
        at->failing = {"n2"};
        static_cast<void>(runs.next());
        BOOST_TEST(at->begun["n1"] == 2);
        BOOST_TEST(at->begun["n2"] == 2);
        at->clear();
        const run_result result = runs.next();
        BOOST_TEST((result.status == run_status::finished));
        BOOST_TEST(runs.started() == (names{"in", "n2", "n3", "z"}));
        BOOST_TEST(result.retries == 1u);
    }
}

BOOST_AUTO_TEST_CASE(P2_a_failure_with_a_way_on_leaves_nothing_within_the_node)
{
    // `in` fails and leads to `spare`, which is a graph too and begins at its beginning.
    for (const durability mode : all_modes)
        for (const bool is_asked : {false, true}) {
            auto at = std::make_shared<trouble>();
            weft::graph_builder builder = empty_graph("outer");
            builder.node("in", weft::subgraph{troubled_chain({"n1", "n2"}, at)});
            builder.node("spare", weft::subgraph{troubled_chain({"m1", "m2"}, at)}).node("z", troubled(at, 5ms));
            builder.edge(weft::start, "in").edge("in", "z").edge("spare", "z");
            if (is_asked)
                builder.edge_when("in", "spare", [at](const weft::state_view&) { return at->failing.contains("n2"); },
                                  {.after = weft::edge_after::any});
            else
                builder.edge_on_failure("in", "spare");
            kept_runs runs{builder.build(), mode};
            at->failing = {"n2"};
            const run_result result = runs.next();
            BOOST_TEST((result.status == run_status::finished));
            BOOST_TEST(runs.started() == (names{"in", "n1", "n2", "spare", "m1", "m2", "z"}));
        }
}

BOOST_AUTO_TEST_CASE(P2_a_node_that_fails_behind_its_graph_begins_it_anew)
{
    for (const durability mode : all_modes) {
        auto at = std::make_shared<trouble>();
        const auto take = [at](const weft::state&, weft::node_context&) -> weft::command {
            if (at->failing.contains("take")) throw std::runtime_error{"no output"};
            return weft::command::next();
        };
        weft::graph_builder builder = empty_graph("outer");
        builder.node("in", weft::subgraph{.graph = troubled_chain({"n1", "n2"}, at), .take_outputs = take});
        builder.edge(weft::start, "in");
        kept_runs runs{builder.build(), mode};
        at->failing = {"take"};
        static_cast<void>(runs.next());
        at->clear();
        const run_result result = runs.next();
        BOOST_TEST((result.status == run_status::finished));
        BOOST_TEST(runs.started() == (names{"in", "n1", "n2"}));
        BOOST_TEST(result.state.get(total) == 2);
    }
}

BOOST_AUTO_TEST_CASE(P2_a_graph_that_was_destroyed_with_its_node_goes_on_where_it_was)
{
    for (const durability mode : all_modes) {
        auto at = std::make_shared<trouble>();
        weft::graph_builder builder = empty_graph("outer");
        const weft::graph chain = troubled_chain({"n1", "n2", "n3"}, at);
        builder.node("s", troubled(at, 1ms)).node("in", added(around(chain, at)));
        builder.node("b", troubled(at, 30ms)).node("j", troubled(at, 1ms));
        weft::testing::manual_clock* clock = nullptr;
        builder.node("c", [&clock](weft::node_context& context) { return delays_stops(context, *clock); });
        builder.edge(weft::start, "s").edge("s", "b").edge("s", "c").edge("s", "in");
        builder.edge("in", "j").edge("b", "j").edge("c", "j");
        kept_runs runs{builder.build(), mode};
        clock = &runs.sim.clock();
        at->deaf = {"n2"};
        at->failing = {"b"};
        const run_result failed = runs.next();
        BOOST_TEST((failed.unresponsive == std::vector<std::string>{"in"}));
        at->clear();
        const run_result result = runs.next();
        BOOST_TEST((result.status == run_status::finished));
        BOOST_TEST(at->begun["a"] == 1);
        BOOST_TEST(at->begun["n1"] == 1);
        BOOST_TEST(result.state.get(total) == 8);
    }
}

BOOST_AUTO_TEST_CASE(P2_what_moves_into_a_graph_moves_once)
{
    for (const durability mode : all_modes) {
        auto at = std::make_shared<trouble>();
        const auto count = [](weft::node_context& context) { context.set(value, context.get(value) + 1); };
        const auto leave = [](weft::node_context& context) { context.set(other, context.get(value) * 100); };
        weft::graph_builder inner = empty_graph("inner");
        inner.node("n1", count).node("n2", troubled(at)).node("n3", leave);
        inner.edge(weft::start, "n1").edge("n1", "n2").edge("n2", "n3");
        int made = 0;
        const auto make = [&made](const weft::node_context&) {
            ++made;
            return weft::state_update{}.set(words, "made");
        };
        weft::graph_builder builder = empty_graph("outer");
        builder.node("a", writes(1ms, 10));
        builder.node("in", weft::subgraph{.graph = inner.build(),
                                          .inputs = {{"value", "value"}},
                                          .outputs = {{"value", "other"}, {"words", "words"}},
                                          .make_inputs = make});
        builder.edge(weft::start, "a").edge("a", "in");
        kept_runs runs{builder.build(), mode};
        at->failing = {"n2"};
        const run_result failed = runs.next();
        BOOST_TEST(failed.state.get(value) == 10);
        at->clear();
        const run_result result = runs.next();
        BOOST_TEST(result.state.get(value) == 1100);
        BOOST_TEST(result.state.get(words) == (names{"made", "n2"}));
        BOOST_TEST(made == 1);
    }
}

BOOST_AUTO_TEST_CASE(P2_what_a_graph_has_spent_counts_once_after_a_resume)
{
    for (const durability mode : all_modes) {
        auto at = std::make_shared<trouble>();
        const auto spends = [](weft::node_context& context) {
            weft::spending some;
            some.tokens = weft::tokens{40};
            context.budget()->reserve(some).settle(some);
        };
        weft::graph_builder inner = empty_graph("inner");
        inner.node("n1", spends).node("n2", troubled(at)).node("n3", spends);
        inner.edge(weft::start, "n1").edge("n1", "n2").edge("n2", "n3");
        kept_runs runs{around(inner.build(), at, 2), mode};
        weft::budget limits;
        limits.tokens = weft::tokens{100};
        weft::run_options options;
        options.budget(limits);
        at->failing = {"n2"};
        const run_result failed = runs.next(with(options));
        BOOST_REQUIRE(failed.spent);
        BOOST_TEST(failed.spent->tokens.count() == 40);
        at->clear();
        const run_result result = runs.next(with(options));
        BOOST_TEST((result.status == run_status::finished), result.message());
        BOOST_REQUIRE(result.spent);
        BOOST_TEST(result.spent->tokens.count() == 80);
    }
}

BOOST_AUTO_TEST_CASE(P2_a_graph_whose_inputs_were_wrong_begins_with_those_that_are_right)
{
    for (const durability mode : all_modes) {
        auto at = std::make_shared<trouble>();
        const auto make = [at](const weft::node_context&) {
            constexpr weft::state_key<std::int64_t> unknown{"unknown"};
            if (at->failing.contains("make")) return weft::state_update{}.set(unknown, 1);
            return weft::state_update{}.set(value, 7);
        };
        weft::graph_builder builder = empty_graph("outer");
        builder.node("in", weft::subgraph{.graph = troubled_chain({"n1"}, at), .make_inputs = make});
        builder.edge(weft::start, "in");
        kept_runs runs{builder.build(), mode};
        at->failing = {"make"};
        const run_result failed = runs.next();
        BOOST_TEST((failed.why->code == weft::errc::unknown_state_key));
        at->clear();
        const run_result result = runs.next();
        BOOST_TEST(result.state.get(value) == 7);
    }
}

BOOST_AUTO_TEST_CASE(P2_a_failure_that_the_fan_out_tolerates_stays_one)
{
    for (const durability mode : all_modes) {
        auto at = std::make_shared<trouble>();
        weft::graph_builder builder = empty_graph("outer");
        builder.node("s", troubled(at, 1ms)).node("in", added(troubled_chain({"n1", "n2"}, at)));
        builder.node("b", troubled(at, 30ms)).node("j", troubled(at, 1ms));
        builder.edge(weft::start, "s").edge("s", "in").edge("s", "b").edge("in", "j").edge("b", "j");
        builder.fan_out("s", {.on_failure = weft::branch_policy::continue_others});
        kept_runs runs{builder.build(), mode};
        at->failing = {"n2", "j"};
        static_cast<void>(runs.next());
        const auto& extras = runs.last().extras;
        BOOST_TEST((!extras || extras->inner.empty()));
        at->clear();
        const run_result result = runs.next();
        BOOST_TEST((result.status == run_status::finished));
        BOOST_TEST(runs.started() == (names{"j"}));
        at->failing = {"n2", "b"};  // now all of its branches fail, and so does it
        kept_runs others{builder.build(), mode};
        static_cast<void>(others.next());
        at->clear();
        static_cast<void>(others.next());
        BOOST_TEST(others.started() == (names{"in", "n2", "b", "j"}));
    }
}

BOOST_AUTO_TEST_SUITE_END()
