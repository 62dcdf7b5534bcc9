#include <weft/testing/async_test_case.hpp>

#include "engine/durable/durable_cases.hpp"

#include <weft/async/scope.hpp>
#include <weft/store/role/forwarding_store.hpp>

#include <optional>
#include <set>

using namespace weft_tests;
using weft::run_status;
using weft::thread_key;

BOOST_AUTO_TEST_SUITE(store_journal_test)

namespace {

/** Charges, by key. */
struct till {
    std::map<std::string, int> charges;
    std::chrono::nanoseconds takes{0};
};

weft::task<std::int64_t> charge(std::shared_ptr<till> at, std::string key)
{
    ++at->charges[key];
    co_await weft::sleep_for(at->takes);
    co_return 7;
}

/** Charges and asks, after a while. */
weft::task<void> charging_node(weft::node_context& context, std::shared_ptr<till> at, std::chrono::nanoseconds before)
{
    if (before.count() > 0) co_await weft::sleep_for(before);
    const auto pay = [at](const weft::effect_context& effect) { return charge(at, effect.key()); };
    const std::int64_t paid = co_await context.once("charge", pay);
    context.publish(total, paid);
    const std::string name = co_await context.ask<std::string>("Who?");
    context.set(words, name);
}

weft::graph charging_graph(std::shared_ptr<till> at, std::chrono::nanoseconds before = 10ms)
{
    const auto charges = [at, before](weft::node_context& context) { return charging_node(context, at, before); };
    weft::graph_builder builder{"charging"};
    builder.state(value, other, total, words);
    return builder.node("x", charges).edge(weft::start, "x").build();
}

constexpr const char* address = "x#1/ask#0";

weft::question_answers answered(const char* name)
{
    weft::question_answers answers;
    answers.emplace(address, boost::json::value(name));
    return answers;
}

weft::task<void> run_into(weft::durable_engine& with, weft::durable_request request, std::string& into)
{
    const weft::run_result result = co_await with.run(std::move(request));
    into = name_of(result.status);
}

/** Loses nothing, and brings the first question of a thread later: as a packet that was on its way. */
class late_asker final : public weft::forwarding_store {
public:
    using forwarding_store::forwarding_store;
    weft::task<weft::write_state> ask(weft::write_fence fence, weft::question_record question) override
    {
        if (!std::exchange(has_lost_, true)) {
            late_.emplace(std::move(fence), std::move(question));
            throw weft::error{weft::errc::store_outcome_unknown, "test", "its packet is on its way"};
        }
        co_return co_await inner().ask(std::move(fence), std::move(question));
    }
    weft::task<weft::write_state> deliver()
    {
        co_return co_await inner().ask(late_->first, late_->second);
    }

private:
    bool has_lost_ = false;
    std::optional<std::pair<weft::write_fence, weft::question_record>> late_;
};

/** Takes its time to say that the first effect is written down. */
class slow_recorder final : public weft::forwarding_store {
public:
    slow_recorder(weft::checkpoint_store& inner, weft::effect_phase of) noexcept : forwarding_store{inner}, slow_{of} {}
    weft::task<weft::write_state> record(weft::write_fence fence, weft::effect_record effect) override
    {
        const bool is_slow = effect.phase == slow_ && !has_been_slow_;
        has_been_slow_ |= is_slow;
        const weft::write_state state = co_await inner().record(std::move(fence), std::move(effect));
        if (is_slow) co_await weft::sleep_for(1s);
        co_return state;
    }

private:
    weft::effect_phase slow_;
    bool has_been_slow_ = false;
};

/** Cannot be read for some calls: as a database that starts up again. */
class absent_reader final : public weft::forwarding_store {
public:
    absent_reader(weft::checkpoint_store& inner, int calls) noexcept : forwarding_store{inner}, absent_for_{calls} {}
    weft::task<std::vector<weft::effect_record>> effects(thread_key thread) override
    {
        if (absent_for_-- > 0) throw weft::error{weft::errc::store_unavailable, "test", "it starts up"};
        co_return co_await inner().effects(std::move(thread));
    }

private:
    int absent_for_;
};

}  // namespace

WEFT_ASYNC_TEST_CASE(a_store_that_is_away_when_a_node_looks_for_its_effect_is_asked_again)
{
    auto at = std::make_shared<till>();
    weft::memory_store store{test_key()};
    absent_reader absent{store, 3};
    weft::durable_engine durable{absent, graphs_of(charging_graph(at))};
    co_await durable.open();
    const weft::run_result asked = co_await durable.run(in_thread("t"));
    BOOST_TEST((asked.status == run_status::paused), asked.message());
    BOOST_TEST(at->charges.size() == 1u);
}

WEFT_ASYNC_TEST_CASE(P21_what_a_failed_run_has_left_is_not_taken_for_the_next_ones)
{
    auto at = std::make_shared<till>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(charging_graph(at))};
    co_await durable.open();
    const thread_key key{"t"};
    static_cast<void>(co_await durable.run(in_thread("t")));
    co_await durable.answer(key, answered("old"));
    // It fails before its node has come to its effect and its question again.
    weft::run_request hasty{"t"};
    weft::run_options limits;
    limits.elapsed_max(5ms);
    hasty.options(limits);
    const weft::run_result failed = co_await durable.resume(key, {}, std::move(hasty));
    BOOST_TEST((failed.status == run_status::failed));
    const auto left = co_await durable.questions(key);
    BOOST_TEST(left.empty());
    const weft::run_result next = co_await durable.run(in_thread("t").anew());
    BOOST_TEST((next.status == run_status::paused));  // it asks anew
    BOOST_TEST(at->charges.size() == 2u);             // and charges anew
    const weft::run_result result = co_await durable.resume(key, answered("new"));
    BOOST_TEST(result.state.get(words) == (std::vector<std::string>{"new"}));
    const auto effects = co_await store.effects(key);
    const auto questions = co_await store.questions(key);
    BOOST_TEST(effects.empty());
    BOOST_TEST(questions.empty());
}

WEFT_ASYNC_TEST_CASE(P21_what_a_run_left_that_died_before_its_first_checkpoint_is_not_taken_for_the_next_ones)
{
    auto at = std::make_shared<till>();
    weft::memory_store store{test_key()};
    const auto graphs = graphs_of(charging_graph(at));
    const weft::task_context& context = co_await weft::this_task::context();
    const thread_key key{"t"};
    {
        weft::durable_engine dying{store, graphs};
        co_await dying.open();
        std::string never;
        weft::run_request request{"t"};
        request.on_questions(weft::interrupts::park);
        weft::durable_request parked{std::move(request)};
        weft::scope children{context};
        children.spawn(run_into(dying, std::move(parked), never));
        co_await weft::sleep_for(1s);
        co_await dying.answer(key, answered("old"));
    }
    weft::durable_engine durable{store, graphs};
    co_await durable.open();
    const bool was_active = co_await durable.stop(key);  // no worker has it when it is given up
    BOOST_TEST(was_active);
    co_await weft::sleep_for(16s);
    static_cast<void>(co_await durable.recover());
    const auto active = co_await store.active_run(key);
    BOOST_TEST(!active);
    const weft::run_result next = co_await durable.run(in_thread("t"));
    BOOST_TEST((next.status == run_status::paused));
    BOOST_TEST(at->charges.size() == 2u);
    const auto open = co_await durable.questions(key);
    BOOST_TEST(open.size() == 1u);
    static_cast<void>(co_await durable.resume(key, answered("new")));
    const auto effects = co_await store.effects(key);
    const auto questions = co_await store.questions(key);
    BOOST_TEST(effects.empty());  // what the dead one left has gone with a checkpoint
    BOOST_TEST(questions.empty());
}

WEFT_ASYNC_TEST_CASE(P24_a_run_that_goes_on_for_a_cancelled_one_repeats_its_effects_with_their_keys)
{
    auto at = std::make_shared<till>();
    at->takes = 50ms;
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(charging_graph(at))};
    co_await durable.open();
    const weft::task_context& context = co_await weft::this_task::context();
    const thread_key key{"t"};
    std::string end;
    weft::scope children{context};
    children.spawn(run_into(durable, in_thread("t"), end));
    co_await weft::sleep_for(30ms);  // the charge is under way
    static_cast<void>(co_await durable.stop(key));
    co_await children.join();
    BOOST_TEST(end == "cancelled");
    BOOST_TEST(at->charges.size() == 1u);
    const weft::run_result next = co_await durable.run(in_thread("t"));
    BOOST_TEST((next.status == run_status::paused));
    BOOST_TEST_REQUIRE(at->charges.size() == 1u);  // the same key
    BOOST_TEST(at->charges.begin()->second == 2);
    // The run after that one counts its visits on as well.
    static_cast<void>(co_await durable.stop(key));
    const weft::run_result third = co_await durable.run(in_thread("t"));
    BOOST_TEST((third.status == run_status::paused));
    BOOST_TEST(at->charges.begin()->second == 2);
    const weft::run_result result = co_await durable.resume(key, answered("Ada"));
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(at->charges.size() == 1u);
    const auto effects = co_await store.effects(key);
    BOOST_TEST(effects.empty());
    const weft::run_result fourth = co_await durable.run(in_thread("t"));  // that one begins anew
    BOOST_TEST((fourth.status == run_status::paused));
    BOOST_TEST(at->charges.size() == 2u);
}

WEFT_ASYNC_TEST_CASE(P30_a_fork_and_a_replay_have_effects_and_questions_of_their_own)
{
    auto at = std::make_shared<till>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(charging_graph(at))};
    co_await durable.open();
    const thread_key key{"t"};
    static_cast<void>(co_await durable.run(in_thread("t")));
    co_await durable.answer(key, answered("Ada"));
    const auto infos = co_await durable.history(key);
    const std::int64_t last = infos.front().sequence;
    const thread_key fork{"fork"};
    static_cast<void>(co_await durable.fork(key, last, fork));
    const auto none = co_await durable.questions(fork);
    BOOST_TEST(none.empty());
    const weft::run_result forked = co_await durable.run(in_thread("fork"));
    BOOST_TEST((forked.status == run_status::paused));
    const weft::run_result replayed = co_await durable.replay(key, last, in_thread("again"));
    BOOST_TEST((replayed.status == run_status::paused));
    BOOST_TEST(at->charges.size() == 3u);
    const auto asked = co_await durable.questions(fork);
    BOOST_TEST_REQUIRE(asked.size() == 1u);
    BOOST_TEST(asked.front().address == address);
    const weft::run_result end = co_await durable.resume(fork, answered("Bob"));
    BOOST_TEST(end.state.get(words) == (std::vector<std::string>{"Bob"}));
    const weft::run_result original = co_await durable.resume(key);
    BOOST_TEST(original.state.get(words) == (std::vector<std::string>{"Ada"}));
    BOOST_TEST(at->charges.size() == 3u);
}

WEFT_ASYNC_TEST_CASE(a_question_that_arrives_when_its_visit_is_over_is_nobodys_after_the_end)
{
    auto at = std::make_shared<till>();
    weft::memory_store store{test_key()};
    late_asker late{store};
    weft::graph_builder builder{"late"};
    builder.state(value, other, total, words);
    const auto charges = [at](weft::node_context& context) { return charging_node(context, at, 0ms); };
    weft::node_options hasty;
    hasty.timeout = 20ms;
    builder.node("x", charges, hasty).node("y", sleeps(1s)).node("z", [] {});
    builder.edge(weft::start, "x").edge_on_failure("x", "y").edge("x", "z").edge("y", "z");
    weft::durable_engine durable{late, graphs_of(builder.build())};
    co_await durable.open();
    const weft::task_context& context = co_await weft::this_task::context();
    const thread_key key{"t"};
    std::string end;
    weft::scope children{context};
    children.spawn(run_into(durable, in_thread("t"), end));
    co_await weft::sleep_for(500ms);  // y runs: the visit of x is over and its addresses are settled
    const weft::write_state state = co_await late.deliver();
    BOOST_TEST((state == weft::write_state::ok));
    co_await children.join();
    BOOST_TEST(end == "finished");
    const auto open = co_await durable.questions(key);
    BOOST_TEST(open.empty());
    const auto left = co_await store.questions(key);
    BOOST_TEST(left.empty());
}

WEFT_ASYNC_TEST_CASE(an_intent_that_its_node_did_not_hear_of_is_found_by_the_next_attempt)
{
    for (const weft::effect_phase slow : {weft::effect_phase::intended, weft::effect_phase::done}) {
        auto at = std::make_shared<till>();
        weft::memory_store store{test_key()};
        slow_recorder recorder{store, slow};
        weft::graph_builder builder{"slow"};
        builder.state(value, other, total, words);
        const auto charges = [at](weft::node_context& context) { return charging_node(context, at, 0ms); };
        weft::node_options hasty;
        hasty.timeout = 20ms;
        hasty.retry.attempts_max = 2;
        builder.node("x", charges, hasty).edge(weft::start, "x");
        weft::durable_engine durable{recorder, graphs_of(builder.build())};
        co_await durable.open();
        const weft::run_result asked = co_await durable.run(in_thread("t"));
        BOOST_TEST((asked.status == run_status::paused), asked.message());
        BOOST_TEST_REQUIRE(at->charges.size() == 1u);
        BOOST_TEST(at->charges.begin()->second == 1);
    }
}

WEFT_ASYNC_TEST_CASE(values_of_a_cancelled_thread_are_changed_and_its_effects_are_remembered)
{
    auto at = std::make_shared<till>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(charging_graph(at))};
    co_await durable.open();
    const thread_key key{"t"};
    static_cast<void>(co_await durable.run(in_thread("t")));
    static_cast<void>(co_await durable.stop(key));
    static_cast<void>(co_await durable.edit(key, weft::state_update{}.overwrite(other, 5)));
    const weft::run_result next = co_await durable.run(in_thread("t"));
    BOOST_TEST((next.status == run_status::paused));
    BOOST_TEST(at->charges.size() == 1u);
    const weft::run_result result = co_await durable.resume(key, answered("Ada"));
    BOOST_TEST(result.state.get(other) == 5);
    BOOST_TEST(at->charges.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
