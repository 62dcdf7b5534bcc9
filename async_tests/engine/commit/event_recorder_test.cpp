#include <weft/testing/async_test_case.hpp>

#include "engine/durable/durable_cases.hpp"
#include "engine/durable/durable_processes.hpp"

#include <weft/async/scope.hpp>
#include <weft/engine/trace/stored_run_event.hpp>
#include <weft/store/role/run_event_log.hpp>
#include <weft/store/service_store.hpp>
#include <weft/testing/faulty_store.hpp>

#include <algorithm>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(event_recorder_test)

namespace {

/** Says a word each 10 ms, and ends after a second. */
weft::task<void> speak(weft::node_context& context, std::string word, int times)
{
    for (int i = 0; i < times; ++i) {
        context.emit("output", word);
        co_await weft::sleep_for(10ms);
    }
    co_await weft::sleep_for(1s);
    context.set(total, 1);
}

weft::graph speaking_graph(std::string word, int times)
{
    const auto says = [word, times](weft::node_context& context) { return speak(context, word, times); };
    return weft::graph_builder{"speaking"}.state(total).node("say", says).edge(weft::start, "say").build();
}

/** Takes its time over each batch, and notes how large they are. */
class slow_log final : public weft::run_event_log {
public:
    slow_log(weft::run_event_log& to, std::chrono::milliseconds takes) : to_{to}, takes_{takes} {}

    weft::task<weft::event_append> append(weft::write_fence by, std::vector<weft::event_draft> events,
                                          weft::event_log_limits limits) override
    {
        batches.push_back(events.size());
        co_await weft::sleep_for(takes_);
        if (is_away) throw weft::error{weft::errc::store_unavailable, "log", "it is away"};
        co_return co_await to_.append(std::move(by), std::move(events), limits);
    }
    weft::task<weft::event_page> read(weft::run_id run, std::uint64_t after, std::size_t count_max) override
    {
        return to_.read(run, after, count_max);
    }
    weft::task<weft::event_prune> prune(std::chrono::milliseconds over_for, std::size_t events_max) override
    {
        return to_.prune(over_for, events_max);
    }

    std::vector<std::size_t> batches;
    bool is_away = false;

private:
    weft::run_event_log& to_;
    std::chrono::milliseconds takes_;
};

/** A run in a store whose log is looked at while it goes on. */
struct spoken_run {
    spoken_run(std::string word, int times, weft::event_streaming how, std::chrono::milliseconds log_takes = 0ms)
        : log{store.service().run_events(), log_takes},
          durable{store, graphs_of(speaking_graph(word, times)), with(how)}
    {
    }
    weft::durable_options with(const weft::event_streaming& how)
    {
        weft::durable_options options;
        options.event_log = &log;
        options.streaming = how;
        return options;
    }
    weft::task<void> go()
    {
        co_await durable.open();
        static_cast<void>(co_await durable.run(in_thread("t")));
        is_over = true;
        weft::run_query all;
        const weft::run_page runs = co_await store.service().runs().search(std::move(all));
        run = runs.runs.front().id;
    }
    /** How many events of the kind the log has. */
    weft::task<std::size_t> logged(std::string kind)
    {
        const auto active = co_await store.active_run(weft::thread_key{"t"});
        if (!active) co_return 0;
        const weft::event_page page = co_await log.read(active->id, 0, 1000);
        co_return static_cast<std::size_t>(std::count_if(page.events.begin(), page.events.end(),
                                                         [&](const auto& one) { return one.kind == kind; }));
    }

    weft::memory_store store{test_key()};
    slow_log log;
    weft::durable_engine durable;
    weft::run_id run;
    bool is_over = false;
};

weft::event_streaming each(std::chrono::milliseconds every, std::size_t bytes = 1024)
{
    weft::event_streaming how;
    how.every = every;
    how.bytes = bytes;
    how.in_one_process = true;
    return how;
}

/** Takes a number of batches; then its process is cut off from it, and from nothing else. */
class cut_log final : public weft::run_event_log {
public:
    cut_log(weft::run_event_log& to, std::size_t batches) : to_{to}, left_{batches} {}

    weft::task<weft::event_append> append(weft::write_fence by, std::vector<weft::event_draft> events,
                                          weft::event_log_limits limits) override
    {
        if (left_ == 0) is_cut = true;
        if (is_cut) throw weft::error{weft::errc::store_outcome_unknown, "log", "its connection was lost"};
        --left_;
        co_return co_await to_.append(std::move(by), std::move(events), limits);
    }
    weft::task<weft::event_page> read(weft::run_id run, std::uint64_t after, std::size_t count_max) override
    {
        return to_.read(run, after, count_max);
    }
    weft::task<weft::event_prune> prune(std::chrono::milliseconds over_for, std::size_t events_max) override
    {
        return to_.prune(over_for, events_max);
    }

    bool is_cut = false;

private:
    weft::run_event_log& to_;
    std::size_t left_;
};

weft::durable_options logging_in(weft::run_event_log& log)
{
    weft::durable_options options;
    options.event_log = &log;
    options.keep_last = 0;
    return options;
}

/** The events that the log has of the only run of a store. */
weft::task<std::vector<weft::stored_event>> events_in(weft::memory_store& store)
{
    weft::run_query all;
    const weft::run_page runs = co_await store.service().runs().search(std::move(all));
    const weft::event_page page = co_await store.service().run_events().read(runs.runs.at(0).id, 0, 1000);
    co_return page.events;
}

std::vector<std::string> nodes_that_succeeded(const std::vector<weft::stored_event>& events, const weft::graph& of)
{
    weft::stored_event_reader reader{of};
    std::vector<std::string> nodes;
    for (const weft::stored_event& each : events) {
        const weft::run_event event = reader.read(each.data);
        if (event.what == weft::run_event::kind::node_succeeded) nodes.emplace_back(event.node);
    }
    return nodes;
}

}  // namespace

WEFT_ASYNC_TEST_CASE(what_a_node_emits_is_in_the_log_while_it_is_still_at_it)
{
    spoken_run spoken{"word", 10, each(50ms)};
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(spoken.go());
    co_await weft::sleep_for(45ms);
    const std::size_t early = co_await spoken.logged("output");
    BOOST_TEST(early == 0u);
    co_await weft::sleep_for(10ms);
    const std::size_t first = co_await spoken.logged("output");
    BOOST_TEST((first == 5u || first == 6u));
    co_await weft::sleep_for(100ms);
    const std::size_t all = co_await spoken.logged("output");
    BOOST_TEST(all == 10u);
    BOOST_TEST(spoken.log.batches.size() <= 4u);
    BOOST_TEST(!spoken.is_over);
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(much_text_does_not_wait)
{
    spoken_run spoken{std::string(100, 'x'), 10, each(10s, 400)};
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(spoken.go());
    co_await weft::sleep_for(35ms);
    const std::size_t four = co_await spoken.logged("output");
    BOOST_TEST(four == 4u);
    co_await weft::sleep_for(1s);
    const std::size_t eight = co_await spoken.logged("output");
    BOOST_TEST(eight == 8u);
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(without_it_and_in_a_store_of_one_process_events_come_with_checkpoints)
{
    weft::event_streaming by_default;
    for (const weft::event_streaming& how : {by_default, each(0ms)}) {
        spoken_run spoken{"word", 3, how};
        const weft::task_context& context = co_await weft::this_task::context();
        weft::scope children{context};
        children.spawn(spoken.go());
        co_await weft::sleep_for(500ms);
        const std::size_t none = co_await spoken.logged("output");
        BOOST_TEST(none == 0u);
        co_await children.join();
        BOOST_TEST(!spoken.log.batches.empty());
    }
}

WEFT_ASYNC_TEST_CASE(events_stay_in_their_order_around_checkpoints_and_a_log_that_is_slow_or_away)
{
    spoken_run spoken{"word", 100, each(7ms, 30), 25ms};
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(spoken.go());
    co_await weft::sleep_for(300ms);
    spoken.log.is_away = true;
    co_await weft::sleep_for(300ms);
    const std::size_t tries = spoken.log.batches.size();
    spoken.log.is_away = false;
    co_await children.join();
    BOOST_TEST(tries < 30u);  // while it is away it is asked less and less often
    const weft::event_page page = co_await spoken.log.read(spoken.run, 0, 1000);
    weft::stored_event_reader reader{speaking_graph("word", 100)};
    std::vector<std::uint64_t> ids;
    for (const weft::stored_event& one : page.events) ids.push_back(reader.read(one.data).id);
    BOOST_TEST_REQUIRE(ids.size() > 100u);
    for (std::size_t i = 0; i < ids.size(); ++i) BOOST_TEST(ids[i] == i + 1);
}

WEFT_ASYNC_TEST_CASE(a_run_goes_on_behind_a_checkpoint_only_when_the_log_has_the_events_before_it)
{
    spoken_run spoken{"word", 10, each(50ms)};
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(spoken.go());
    co_await weft::sleep_for(500ms);
    spoken.log.is_away = true;  // and the rest of the store is not
    co_await weft::sleep_for(3s);
    BOOST_TEST(!spoken.is_over);
    spoken.log.is_away = false;
    co_await children.join();
    const weft::event_page page = co_await spoken.log.read(spoken.run, 0, 1000);
    BOOST_TEST_REQUIRE(!page.events.empty());
    weft::stored_event_reader reader{speaking_graph("word", 10)};
    for (std::size_t i = 0; i < page.events.size(); ++i) BOOST_TEST(reader.read(page.events[i].data).id == i + 1);
    BOOST_TEST(page.events.back().kind == "run_finished");
}

// Whichever batch of events is lost: another process that takes the run over goes on behind no checkpoint without it.
BOOST_AUTO_TEST_CASE(a_process_that_dies_between_events_and_checkpoint_leaves_no_checkpoint_without_its_events)
{
    constexpr std::size_t steps_until_killed = 400;
    const weft::graph what = counted_chain(std::make_shared<begun_nodes>());
    std::size_t batches = 0;
    for (bool is_cut = true; is_cut; ++batches) {
        weft::testing::simulation sim{1};
        weft::memory_store store{test_key()};
        cut_log log{store.service().run_events(), batches};
        auto result = run_for(sim, first_process(store, graphs_of(what), logging_in(log)), steps_until_killed);
        is_cut = log.is_cut;
        if (!result) result = sim.run(later_process(store, graphs_of(what), logging_in(store.service().run_events())));
        BOOST_TEST_REQUIRE((result->status == weft::run_status::finished));
        const auto told = nodes_that_succeeded(sim.run(events_in(store)), what);
        for (const char* node : {"a", "b", "c"})
            BOOST_TEST(std::count(told.begin(), told.end(), node) >= 1, node << " is missing, cut after " << batches);
    }
    BOOST_TEST(batches > 3u);
}

BOOST_AUTO_TEST_CASE(events_go_in_with_their_checkpoints_however_often_these_are_tried)
{
    const weft::graph what = counted_chain(std::make_shared<begun_nodes>());
    std::uint64_t disturbed = 0;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        weft::testing::simulation sim{seed};
        weft::memory_store store{test_key()};
        weft::testing::faulty_store faulty{store, weft::testing::store_faults{}, seed};
        faulty.set_faults(weft::testing::store_faults{}.lose_requests(0.2).lose_replies(0.2).deliver_twice(0.1));
        const weft::run_result result =
            sim.run(first_process(faulty, graphs_of(what), logging_in(store.service().run_events())));
        disturbed += faulty.disturbed();
        BOOST_TEST_REQUIRE((result.status == weft::run_status::finished), result.message());
        const std::vector<weft::stored_event> events = sim.run(events_in(store));
        weft::stored_event_reader reader{what};
        for (std::size_t i = 0; i < events.size(); ++i) BOOST_TEST(reader.read(events[i].data).id == i + 1);
        BOOST_TEST(events.back().kind == "run_finished");
    }
    BOOST_TEST(disturbed > 50u);
}

BOOST_AUTO_TEST_SUITE_END()
