#include <boost/test/unit_test.hpp>

#include "durable_cases.hpp"
#include "seed_count.hpp"

#include <weft/async/scope.hpp>
#include <weft/testing/faulty_store.hpp>

#include <optional>
#include <set>

using namespace weft_tests;
using weft::run_status;
using weft::task;
using weft::thread_key;
using weft::testing::simulation;

BOOST_AUTO_TEST_SUITE(durable_acceptance_test)

namespace {

/** What nodes do to the world, and a person who answers. */
struct outside {
    std::map<std::string, int> effects;       // by key
    std::map<std::string, int> inner_begun;   // by item
    std::map<std::string, std::string> asked;  // address to text
    std::set<std::string> answered;
    std::vector<std::string> complaints;

    void complain(const std::string& about) { complaints.push_back(about); }
};

task<void> ask_about_item(weft::node_context& context, std::shared_ptr<outside> world)
{
    const std::string item = std::to_string(context.get(value));
    const auto effect = [world](const weft::effect_context& effect) { return ++world->effects[effect.key()]; };
    static_cast<void>(co_await context.once("note", effect));
    weft::question asked{"Item " + item + "?"};
    const std::string said = co_await context.ask<std::string>(std::move(asked));
    weft::question again{"Sure about item " + item + "?"};
    const std::string sure = co_await context.ask<std::string>(std::move(again));
    context.set(inner_words, item + "=" + said + "," + sure);
}

/** Three branches, each a graph in a node: a node that counts, one that has an effect and asks twice, and an end. */
weft::graph parallel_askers(std::shared_ptr<outside> world)
{
    weft::graph_builder inner{"inside"};
    inner.state(value, inner_words);
    const auto begin = [world](weft::node_context& c) { ++world->inner_begun[std::to_string(c.get(value))]; };
    const auto ask = [world](weft::node_context& context) { return ask_about_item(context, world); };
    inner.node("begin", begin).node("ask", ask).node("end", sleeps(1ms));
    inner.edge(weft::start, "begin").edge("begin", "ask").edge("ask", "end");
    const auto hand_out = [](const weft::state& left, weft::node_context& context) {
        context.set(inner_words, left.get(inner_words).back());
        return weft::command::next();
    };
    auto nested = weft::subgraph{.graph = inner.build(), .inputs = {{"value", "value"}}, .take_outputs = hand_out};
    const auto split = [](weft::node_context&) {
        std::vector<weft::send> items;
        for (int i = 0; i < 3; ++i) {
            items.emplace_back("one").input(value, i);
        }
        return weft::command::fan_out(std::move(items));
    };
    weft::graph_builder builder{"askers"};
    builder.state(value, other, total, words, inner_words);
    builder.node("split", split, {.goes_to = {"one"}}).node("one", std::move(nested)).node("j", [] {});
    return builder.edge(weft::start, "split").edge("one", "j").fan_in("split", "j").build();
}

/** The person looks at what is open and answers the first question of it. */
task<void> answer_one(weft::durable_engine& with, std::shared_ptr<outside> world)
{
    const thread_key key{"t"};
    const std::vector<weft::open_question> open = co_await with.questions(key);
    for (const weft::open_question& each : open) {
        const auto [at, is_new] = world->asked.emplace(each.address, each.asked.text);
        if (at->second != each.asked.text) world->complain(each.address + " is another question now");
        if (world->answered.contains(each.address)) world->complain(each.address + " is asked again");
    }
    if (open.empty()) co_return;
    const std::string address = open.front().address;
    weft::question_answers answers;
    answers.emplace(address, boost::json::value("<" + open.front().asked.text + ">"));
    co_await with.answer(key, std::move(answers));
    world->answered.insert(address);
}

/** A process and a person who sits at it, until the run is over. */
task<bool> process(weft::checkpoint_store& store, std::shared_ptr<const weft::durable_graphs> graphs,
                   std::shared_ptr<outside> world)
{
    weft::durable_engine durable{store, std::move(graphs)};
    co_await durable.open();
    const thread_key key{"t"};
    for (;;) {
        static_cast<void>(co_await durable.recover());
        const std::optional<weft::run_record> active = co_await store.active_run(key);
        const std::vector<weft::checkpoint_info> infos = co_await durable.history(key);
        if (!active && !infos.empty()) co_return infos.front().kind == weft::checkpoint_kind::finish;
        if (!active) {
            static_cast<void>(co_await durable.run(in_thread("t")));
        } else if (active->phase != weft::run_phase::waiting) {
            co_await weft::sleep_for(1s);
        } else {
            co_await answer_one(durable, world);
            static_cast<void>(co_await durable.resume(key));
        }
    }
}

void check_world(simulation& sim, weft::checkpoint_store& store, const std::shared_ptr<outside>& world,
                 const std::string& where)
{
    const std::string complaint = world->complaints.empty() ? std::string{} : world->complaints.front();
    BOOST_REQUIRE_MESSAGE(complaint.empty(), where << ": " << complaint);
    BOOST_REQUIRE_MESSAGE(world->effects.size() == 3u, where << ": " << world->effects.size());
    const auto none = std::make_shared<outside>();
    weft::durable_engine reader{store, graphs_of(parallel_askers(none))};
    const weft::thread_snapshot last = sim.run(reader.read(thread_key{"t"}));
    std::vector<std::string> expected;
    for (const char* item : {"0", "1", "2"})
        expected.push_back(std::string{item} + "=<Item " + item + "?>,<Sure about item " + item + "?>");
    BOOST_REQUIRE_MESSAGE(sorted_words(last.state()) == expected, where);
}

}  // namespace

BOOST_AUTO_TEST_CASE(P17_P20_P21_killed_anywhere_each_branch_inside_goes_on_with_its_own_answers_asked_once)
{
    std::size_t kills = 0;
    for (std::size_t at_step = 0;; at_step += moment_stride) {
        const std::string where = "killed after " + std::to_string(at_step);
        simulation sim{1};
        weft::memory_store real{test_key()};
        weft::testing::faulty_store store{real, weft::testing::store_faults{}.delay_up_to(3ms), 1};
        const auto world = std::make_shared<outside>();
        const auto graphs = graphs_of(parallel_askers(world));
        bool has_ended = false;
        {
            simulation::root<bool> first{sim, process(store, graphs, world)};
            for (std::size_t i = 0; i < at_step && !first.has_ended(); ++i) sim.step();
            has_ended = first.has_ended();
        }
        if (!has_ended) BOOST_REQUIRE_MESSAGE(sim.run(process(store, graphs, world)), where);
        store.set_faults(weft::testing::store_faults{});
        check_world(sim, store, world, where);
        // A node inside that was kept as completed did not begin again.
        for (const auto& [item, times] : world->inner_begun) BOOST_REQUIRE_MESSAGE(times <= 2, where << ": " << item);
        if (has_ended) break;
        ++kills;
    }
    BOOST_TEST(kills > 100 / moment_stride);
}

BOOST_AUTO_TEST_CASE(P17_P20_P21_over_many_seeds_and_kills)
{
    for (std::uint64_t seed = 1; seed <= seed_count(100); ++seed) {
        simulation sim{seed};
        weft::random_source random{seed};
        weft::memory_store real{test_key()};
        weft::testing::faulty_store store{real, weft::testing::store_faults{}.delay_up_to(3ms), seed};
        const auto world = std::make_shared<outside>();
        const auto graphs = graphs_of(parallel_askers(world));
        for (int life = 0; life < 4; ++life) {
            simulation::root<bool> next{sim, process(store, graphs, world)};
            for (std::uint64_t i = random.below(400); i > 0 && !next.has_ended(); --i) sim.step();
        }
        BOOST_REQUIRE(sim.run(process(store, graphs, world)));
        store.set_faults(weft::testing::store_faults{});
        check_world(sim, store, world, "seed " + std::to_string(seed));
    }
}

namespace {

struct race_world {
    std::set<std::string> keys;  // of effects
    bool was_accepted = false;
    run_status first = run_status::failed;
};

task<void> race_node(weft::node_context& context, std::shared_ptr<race_world> world)
{
    const auto effect = [world](const weft::effect_context& with) { return world->keys.insert(with.key()).second; };
    static_cast<void>(co_await context.once("note", effect));
    const std::string said = co_await context.ask<std::string>("Who?");
    context.set(words, said);
}

weft::graph race_graph(std::shared_ptr<race_world> world)
{
    const auto asks = [world](weft::node_context& context) { return race_node(context, world); };
    return empty_graph("race").node("a", asks).node("b", sleeps(5ms)).edge(weft::start, "a").edge("a", "b").build();
}

task<void> first_run(weft::durable_engine& with, weft::interrupts mode, std::shared_ptr<race_world> world)
{
    weft::run_request request{"t"};
    request.on_questions(mode);
    const weft::run_result result = co_await with.run(std::move(request));
    world->first = result.status;
}

task<void> answer_after(weft::durable_engine& with, std::chrono::nanoseconds span, std::shared_ptr<race_world> world)
{
    co_await weft::sleep_for(span);
    weft::question_answers answers;
    answers.emplace("a#1/ask#0", boost::json::value("Ada"));
    try {
        const thread_key key{"t"};
        co_await with.answer(key, std::move(answers));
        world->was_accepted = true;
    } catch (const weft::error& too_early) {
        if (too_early.code() != weft::errc::unknown_question) throw;
    }
}

task<void> signal_after(weft::durable_engine& with, std::chrono::nanoseconds span, bool stops)
{
    co_await weft::sleep_for(span);
    const thread_key key{"t"};
    task<bool> telling = stops ? with.stop(key) : with.pause(key);
    static_cast<void>(co_await std::move(telling));
}

/** One process has the run; an answer and a signal come from this or that one at about the same time. */
task<weft::run_result> race(weft::checkpoint_store& store, std::uint64_t seed, std::shared_ptr<race_world> world)
{
    weft::random_source random{seed};
    weft::durable_options often;
    often.heartbeat_every = std::chrono::milliseconds{20};
    often.poll_every = std::chrono::milliseconds{20};
    weft::durable_engine one{store, graphs_of(race_graph(world)), often};
    weft::durable_engine two{store, graphs_of(race_graph(world)), often};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    const auto some = [&random] { return std::chrono::milliseconds{random.below(80)}; };
    const weft::interrupts mode = random.below(2) == 0 ? weft::interrupts::park : weft::interrupts::pause;
    weft::scope children{context};
    children.spawn(first_run(one, mode, world));
    children.spawn(answer_after(random.below(2) == 0 ? one : two, some(), world));
    const auto later = std::chrono::milliseconds{random.below(400)};
    children.spawn(signal_after(random.below(2) == 0 ? one : two, later, random.below(2) == 0));
    co_await weft::sleep_for(10s);
    // One that only waits for its answer has not heard the signal, or gave none: it gets one.
    if (!world->was_accepted) {
        static_cast<void>(co_await two.run(in_thread("t").on_busy(weft::busy_policy::replace)));
        co_await answer_after(two, 0ms, world);
    }
    co_await children.join();
    const thread_key key{"t"};
    const weft::thread_snapshot at = co_await two.read(key);
    weft::run_result result{run_status::finished, weft::run_quality::clean};
    result.state = at.state();
    if (at.info().kind == weft::checkpoint_kind::finish) co_return result;
    result = co_await two.run(in_thread("t"));
    if (result.status == run_status::paused) {  // the pause found it while its answer made it ready again
        result = co_await two.run(in_thread("t"));
    }
    co_return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(P23_an_answer_that_races_with_a_stop_or_a_pause_from_anywhere_is_used_or_was_refused)
{
    std::map<run_status, int> ends;
    for (std::uint64_t seed = 1; seed <= seed_count(400); ++seed) {
        simulation sim{seed};
        weft::memory_store real{test_key()};
        weft::testing::faulty_store store{real, weft::testing::store_faults{}.delay_up_to(15ms), seed};
        const auto world = std::make_shared<race_world>();
        const weft::run_result last = sim.run(race(store, seed, world));
        ++ends[world->first];
        BOOST_REQUIRE_MESSAGE(last.status == run_status::finished, "seed " << seed << ": " << last.message());
        BOOST_REQUIRE_MESSAGE(world->was_accepted, "seed " << seed);
        // The answer was used once, whichever run it was for, and what stands above it had one key.
        BOOST_REQUIRE_MESSAGE(last.state.get(words) == std::vector<std::string>{"Ada"}, "seed " << seed);
        BOOST_REQUIRE_MESSAGE(world->keys.size() == 1u, "seed " << seed << ": " << world->keys.size());
    }
    for (const run_status each : {run_status::finished, run_status::paused, run_status::cancelled})
        BOOST_TEST(ends[each] >= static_cast<int>(seed_count(400) / 40), name_of(each) << ": " << ends[each]);
}

BOOST_AUTO_TEST_SUITE_END()
