#include <weft/testing/async_test_case.hpp>

#include "durable_trial.hpp"

#include <weft/asio.hpp>
#include <weft/async/scope.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/engine/checkpoint/checkpoint_outline.hpp>

#include <algorithm>
#include <optional>

using namespace weft_tests;
using weft::run_status;
using weft::thread_key;

BOOST_AUTO_TEST_SUITE(durable_restart_test)

namespace {

/** What the world does to the nodes: `b` fails as long as this says so. */
struct weather {
    bool is_bad = true;
    std::vector<std::string> keys;  ///< Of the effect of `b`, each time it was had.
};

weft::task<std::int64_t> pay(std::shared_ptr<weather> at, std::string key)
{
    at->keys.push_back(std::move(key));
    co_return 1;
}

weft::task<void> paying_node(weft::node_context& context, std::shared_ptr<begun_nodes> begun,
                             std::shared_ptr<weather> at)
{
    ++begun->times["b"];
    const auto effect = [at](const weft::effect_context& of) { return pay(at, of.key()); };
    const std::int64_t paid = co_await context.once("pay", effect);
    co_await weft::sleep_for(20ms);
    if (at->is_bad) throw weft::error{weft::errc::model_rejected, "test", "bad weather"};
    context.set(total, paid);
    context.set(words, std::string{"b"});
}

/** s -> (a of 2 ms, b that fails after 20 ms, c of 50 ms) -> j. */
weft::graph three_branches(std::shared_ptr<begun_nodes> begun, std::shared_ptr<weather> at)
{
    const auto pays = [begun, at](weft::node_context& context) { return paying_node(context, begun, at); };
    weft::graph_builder builder{"three"};
    builder.state(value, other, total, words);
    builder.node("s", counts(begun, 1ms)).node("a", counts(begun, 2ms)).node("b", pays);
    builder.node("c", counts(begun, 50ms)).node("j", counts(begun, 1ms));
    builder.edge(weft::start, "s").edge("s", "a").edge("s", "b").edge("s", "c");
    return builder.edge("a", "j").edge("b", "j").edge("c", "j").build();
}

}  // namespace

WEFT_ASYNC_TEST_CASE(P2_resume_runs_only_what_failed_or_was_cut_short)
{
    auto begun = std::make_shared<begun_nodes>();
    auto at = std::make_shared<weather>();
    durable_trial on{three_branches(begun, at)};
    co_await on.durable.open();
    const weft::run_result failed = co_await on.run();
    BOOST_TEST((failed.status == run_status::failed));
    BOOST_TEST(sorted_words(failed.state) == (std::vector<std::string>{"a", "s"}));  // P1: a had finished
    BOOST_TEST((failed.resume_from == std::vector<std::string_view>{"b", "c"}));
    const std::optional<weft::checkpoint> head = co_await on.store.load(on.key, std::nullopt);
    BOOST_TEST_REQUIRE(head.has_value());
    const weft::checkpoint_outline outline =
        co_await weft::read_outline(on.store, on.key, *head, weft::outline_depth::place_and_state);
    BOOST_TEST((outline.next_nodes == std::vector<std::string>{"b", "c"}));
    BOOST_TEST_REQUIRE(outline.finished.size() == 1u);
    BOOST_TEST(outline.finished.front().node == "a");
    BOOST_TEST(weft::to_json_text(outline.finished.front().writes) == R"({"total":[1],"words":["a"]})");
    at->is_bad = false;
    const weft::run_result result = co_await on.durable.resume(on.key);
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(sorted_words(result.state) == (std::vector<std::string>{"a", "b", "c", "j", "s"}));
    BOOST_TEST(begun->times["s"] == 1);
    BOOST_TEST(begun->times["a"] == 1);
    BOOST_TEST(begun->times["b"] == 2);
    BOOST_TEST(begun->times["c"] == 2);
    BOOST_TEST(at->keys.size() == 1u);  // its outcome was written down
    const auto kinds = co_await kinds_of(on.durable, "t");
    BOOST_TEST(std::count(kinds.begin(), kinds.end(), "finish b") == 1);  // the failed attempt stays
    BOOST_TEST(kinds.back() == "finish");
    const auto effects = co_await on.store.effects(on.key);
    BOOST_TEST(effects.empty());
}

WEFT_ASYNC_TEST_CASE(P2_what_is_read_of_a_broken_off_run_has_its_finished_branches)
{
    for (const bool is_cancelled : {false, true}) {
        auto begun = std::make_shared<begun_nodes>();
        auto at = std::make_shared<weather>();
        weft::memory_store store{test_key()};
        weft::graph_builder builder{"nested"};
        const auto pays = [begun, at](weft::node_context& context) { return paying_node(context, begun, at); };
        builder.state(value, other, total, words);
        builder.node("s", counts(begun, 1ms)).node("a", counts(begun, 2ms)).node("b", pays);
        builder.node("c", counts(begun, 1ms)).node("c1", counts(begun, 1ms)).node("c2", counts(begun, 50ms));
        builder.node("d", counts(begun, 1ms)).node("d1", counts(begun, 50ms)).node("j", counts(begun, 1ms));
        builder.edge(weft::start, "s").edge("s", "a").edge("s", "b").edge("s", "c").edge("s", "d");
        builder.edge("c", "c1").edge("c", "c2").edge("d", "d1");
        builder.edge("a", "j").edge("b", "j").edge("c1", "j").edge("c2", "j").edge("d1", "j");
        weft::durable_engine durable{store, graphs_of(builder.build())};
        co_await durable.open();
        const weft::task_context& context = co_await weft::this_task::context();
        const thread_key key{"t"};
        weft::run_result result;
        weft::scope children{context};
        const auto run = [](weft::durable_engine& with, weft::run_result& into) -> weft::task<void> {
            weft::durable_request once = in_thread("t");
            into = co_await with.run(std::move(once.idempotent("once")));
        };
        children.spawn(run(durable, result));
        co_await weft::sleep_for(10ms);
        if (is_cancelled) static_cast<void>(co_await durable.stop(key));
        co_await children.join();
        BOOST_TEST((result.status == (is_cancelled ? run_status::cancelled : run_status::failed)));
        BOOST_TEST(sorted_words(result.state).size() >= 3u);  // s, a, c1 at least
        const weft::thread_snapshot last = co_await durable.read(key);
        BOOST_TEST(last.is_unfinished());
        BOOST_TEST(sorted_words(last.state()) == sorted_words(result.state));
        BOOST_TEST(last.state().get(total) == result.state.get(total));
        const weft::run_result stored = co_await durable.follow(key);
        BOOST_TEST(sorted_words(stored.state) == sorted_words(result.state));
    }
}

WEFT_ASYNC_TEST_CASE(P2_a_node_whose_answer_leads_nowhere_counts_once)
{
    for (const bool is_label : {true, false}) {
        auto at = std::make_shared<weather>();
        const auto misled = [at, is_label](weft::node_context& context) {
            context.set(total, 1);
            at->keys.emplace_back(context.node());
            const std::string where = at->is_bad ? "nowhere" : is_label ? "on" : "b";
            return is_label ? weft::command::label(where) : weft::command::go_to(where);
        };
        weft::graph_builder builder{"misled"};
        builder.state(total).node("a", misled).node("b", [] {}).edge(weft::start, "a");
        if (is_label) builder.edge_label("a", {{"on", "b"}});
        else builder.edge("a", "b");
        durable_trial on{builder.build()};
        co_await on.durable.open();
        const weft::run_result failed = co_await on.run();
        BOOST_TEST((failed.status == run_status::failed));
        BOOST_TEST_REQUIRE(failed.why);
        BOOST_TEST((failed.why->code == (is_label ? weft::errc::unknown_label : weft::errc::unknown_node)));
        at->is_bad = false;
        const weft::run_result result = co_await on.durable.resume(on.key);
        BOOST_TEST((result.status == run_status::finished));
        BOOST_TEST(at->keys.size() == 2u);
        BOOST_TEST(result.state.get(total) == 1);
    }
}

WEFT_ASYNC_TEST_CASE(P2_a_run_of_a_failed_thread_goes_on_and_begins_anew_only_when_asked)
{
    auto begun = std::make_shared<begun_nodes>();
    auto at = std::make_shared<weather>();
    durable_trial on{three_branches(begun, at)};
    co_await on.durable.open();
    static_cast<void>(co_await on.run());
    const weft::run_result again = co_await on.run();
    BOOST_TEST((again.status == run_status::failed));
    BOOST_TEST(begun->times["s"] == 1);
    BOOST_TEST(begun->times["b"] == 2);
    at->is_bad = false;
    weft::durable_request anew = in_thread("t");
    anew.anew();
    const weft::run_result result = co_await on.durable.run(std::move(anew));
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(begun->times["s"] == 2);
    BOOST_TEST(begun->times["a"] == 2);
    BOOST_TEST(at->keys.size() == 2u);
    BOOST_TEST_REQUIRE(at->keys.size() == 2u);
    BOOST_TEST(at->keys[0] != at->keys[1]);
}

WEFT_ASYNC_TEST_CASE(P2_another_process_goes_on_with_a_failed_run)
{
    auto begun = std::make_shared<begun_nodes>();
    auto at = std::make_shared<weather>();
    weft::memory_store store{test_key()};
    {
        weft::durable_engine first{store, graphs_of(three_branches(begun, at))};
        co_await first.open();
        static_cast<void>(co_await first.run(in_thread("t")));
        co_await first.close();
    }
    at->is_bad = false;
    weft::durable_engine second{store, graphs_of(three_branches(begun, at))};
    co_await second.open();
    const thread_key key{"t"};
    const weft::run_result result = co_await second.resume(key);
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(begun->times["a"] == 1);
    BOOST_TEST(at->keys.size() == 1u);
}

WEFT_ASYNC_TEST_CASE(U2_a_dead_run_is_revived_where_it_stood_with_the_keys_of_its_effects)
{
    auto begun = std::make_shared<begun_nodes>();
    auto at = std::make_shared<weather>();
    at->is_bad = false;
    weft::memory_store store{test_key()};
    weft::durable_options once;
    once.attempts_max = 1;
    std::optional<weft::durable_engine> first{std::in_place, store, graphs_of(three_branches(begun, at)), once};
    co_await first->open();
    {
        weft::task<weft::run_result> running = first->run(in_thread("t"));
        weft::serial_loop& loop = co_await weft::this_task::loop();
        weft::stop_scope scope;
        const weft::task_context own{&loop, &scope};
        static_cast<void>(running.start(own, [](void*) {}, nullptr));
        co_await weft::sleep_for(15ms);  // `a` has finished, `b` has paid
    }
    first.reset();
    weft::durable_engine second{store, graphs_of(three_branches(begun, at)), once};
    co_await second.open();
    const thread_key key{"t"};
    co_await weft::sleep_for(60s);  // the first process is given up, and its run is dead
    const std::size_t taken = co_await second.recover();
    BOOST_TEST(taken == 0u);
    const bool is_revived = co_await second.revive(key);
    BOOST_TEST(is_revived);
    const bool is_revived_twice = co_await second.revive(key);
    BOOST_TEST(!is_revived_twice);
    const std::size_t taken_now = co_await second.recover();
    BOOST_TEST(taken_now == 1u);
    const weft::thread_snapshot last = co_await second.read(key);
    BOOST_TEST(sorted_words(last.state()) == (std::vector<std::string>{"a", "b", "c", "j", "s"}));
    BOOST_TEST(begun->times["a"] == 1);
    BOOST_TEST(at->keys.size() == 1u);
}

WEFT_ASYNC_TEST_CASE(U2_a_request_without_a_thread_and_an_engine_that_is_not_open_are_refused)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(counted_chain(begun))};
    const auto refusal = [&durable](std::string thread) -> weft::task<weft::errc> {
        return [](weft::durable_engine& with, std::string name) -> weft::task<weft::errc> {
            try {
                static_cast<void>(co_await with.run(in_thread(std::move(name))));
            } catch (const weft::error& e) {
                co_return e.code();
            }
            co_return weft::errc::cancelled;
        }(durable, std::move(thread));
    };
    const weft::errc closed = co_await refusal("t");
    BOOST_TEST((closed == weft::errc::invalid_configuration));
    co_await durable.open();
    const weft::errc nameless = co_await refusal("");
    BOOST_TEST((nameless == weft::errc::invalid_configuration));
    BOOST_TEST(begun->times["a"] == 0);
}

namespace {

/** The refusal of a call, and how long it took. */
template <class T>
weft::task<std::string> refusal_of(weft::task<T> call)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const weft::time_point begun = loop.now();
    std::string found = "none";
    try {
        static_cast<void>(co_await std::move(call));
    } catch (const weft::error& e) {
        found = name_of(e.code());
    }
    co_return found + (loop.now() == begun ? "" : " late");
}

}  // namespace

WEFT_ASYNC_TEST_CASE(U2_after_close_each_call_is_refused_at_once)
{
    auto begun = std::make_shared<begun_nodes>();
    durable_trial on{counted_chain(begun)};
    co_await on.durable.open();
    co_await on.durable.close();
    std::vector<std::string> refusals;
    refusals.push_back(co_await refusal_of(on.run()));
    refusals.push_back(co_await refusal_of(on.durable.resume(on.key)));
    refusals.push_back(co_await refusal_of(on.durable.follow(on.key)));
    refusals.push_back(co_await refusal_of(on.durable.revive(on.key)));
    refusals.push_back(co_await refusal_of(on.durable.pause(on.key)));
    refusals.push_back(co_await refusal_of(on.durable.recover()));
    for (const std::string& each : refusals) BOOST_TEST(each == "invalid_configuration");
    BOOST_CHECK_THROW(on.durable.async_run(in_thread("t"), [](std::exception_ptr, weft::run_result) {}), weft::error);
    co_await on.durable.open();
    const weft::run_result result = co_await on.run();
    BOOST_TEST((result.status == run_status::finished));
}

BOOST_AUTO_TEST_CASE(F14_a_graph_that_is_nested_too_deep_to_be_kept_is_refused_before_it_runs)
{
    const auto nested = [](int depth) {
        weft::graph_builder innermost{"g"};
        innermost.state(total).node("a", [] {}).edge(weft::start, "a");
        weft::graph what = innermost.build();
        for (int i = 1; i < depth; ++i) {
            weft::graph_builder around{"g"};
            around.state(total).node("a", weft::subgraph{std::move(what)}).edge(weft::start, "a");
            what = around.build();
        }
        return what;
    };
    weft::durable_graphs graphs;
    BOOST_CHECK_NO_THROW(graphs.add(nested(32)));
    const auto is_refusal = [](const weft::error& e) { return e.code() == weft::errc::invalid_configuration; };
    BOOST_CHECK_EXCEPTION(graphs.add(nested(33)), weft::error, is_refusal);
}

BOOST_AUTO_TEST_SUITE_END()
