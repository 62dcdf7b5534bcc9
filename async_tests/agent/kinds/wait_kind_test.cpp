#include <boost/test/unit_test.hpp>

#include "agent/filed_agents.hpp"
#include "agent/kinds/wait_kind.hpp"
#include "engine/durable/durable_processes.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/store/memory_store.hpp>

BOOST_AUTO_TEST_SUITE(wait_kind_test)

using namespace std::chrono_literals;
using namespace weft_tests;
using namespace weft_tests::tool_agents;
using weft::errc;
using weft::run_status;
using weft::testing::simulation;

namespace {

/** A file with the keys `deadline`, `paid` and `note`, a node `wait`, and one behind it that is quick. */
std::string file_with(std::string_view settings, std::string_view writes = "'paid', 'note'",
                      std::string_view more = "'timeout': '1s'")
{
    return "'state': [{'name': 'deadline', 'type': 'string', 'initial': '2000-01-01T02:00:00+01:00'}, {'name': "
           "'paid', 'type': 'number'}, {'name': 'note', 'type': 'string'}, {'name': 'end', 'type': 'string'}], "
           "'nodes': [{'name': 'wait', 'kind': 'wait', 'writes': [" +
           std::string{writes} + "], " + std::string{more} + ", 'settings': {" + std::string{settings} +
           "}}, {'name': 'done', 'kind': 'set', 'settings': {'values': {'end': 'x'}}}], 'edges': [{'from': "
           "'__start__', 'to': 'wait'}, {'from': 'wait', 'to': 'done'}]";
}

std::string waits(std::string_view settings) { return file_with(settings, ""); }

weft::loaded_graph load(const std::string& members)
{
    return weft::load_graph(spec_text(members), registry_around({}));
}

weft::run_result run_in(simulation& sim, const std::string& members)
{
    const weft::loaded_graph loaded = load(members);
    const weft::engine engine{loaded.what};
    return sim.run(engine.run({}));
}

/** A store, and processes that run the file. */
struct world {
    explicit world(const std::string& members) : what{load(members).what} { graphs->add(what); }

    simulation sim{1};
    weft::memory_store store{weft::hash_key{}};
    weft::graph what;
    std::shared_ptr<weft::durable_graphs> graphs = std::make_shared<weft::durable_graphs>();

    /** A process that keeps the run for as long as it waits for a moment. */
    [[nodiscard]] weft::run_result run()
    {
        weft::durable_options patient;
        patient.park_for = {};
        return sim.run(first_process(store, graphs, std::move(patient)));
    }
    /** A process that takes over what is ready. */
    [[nodiscard]] weft::run_result recover() { return sim.run(later_process(store, graphs)); }
    [[nodiscard]] weft::task<void> deliver(std::string event, boost::json::value payload, std::string thread = "t")
    {
        return deliver_to(store, std::move(thread), std::move(event), std::move(payload));
    }
    [[nodiscard]] errc refusal(std::string event, boost::json::value payload, std::string thread = "t")
    {
        try {
            sim.run(deliver(std::move(event), std::move(payload), std::move(thread)));
        } catch (const weft::error& e) {
            said = e.what();
            return e.code();
        }
        return {};
    }
    std::string said;
    [[nodiscard]] weft::run_phase phase_of(std::string thread) { return sim.run(read_phase(store, std::move(thread))); }

private:
    static weft::task<weft::run_phase> read_phase(weft::checkpoint_store& store, std::string thread)
    {
        weft::thread_key key{std::move(thread)};
        const std::optional<weft::run_record> active = co_await store.active_run(std::move(key));
        co_return active ? active->phase : weft::run_phase::finished;
    }
    static weft::task<void> deliver_to(weft::checkpoint_store& store, std::string thread, std::string event,
                                       boost::json::value payload)
    {
        weft::durable_engine durable{store, std::make_shared<const weft::durable_graphs>()};
        weft::thread_key key{std::move(thread)};
        co_await durable.deliver_event(std::move(key), std::move(event), std::move(payload));
    }
};

weft::task<void> run_into(weft::durable_engine& durable, weft::run_result& result)
{
    weft::durable_request request{"t"};
    weft::run_result given = co_await durable.run(std::move(request));
    result = std::move(given);
}

/** A worker that takes what is ready, and ends after some time. */
weft::task<weft::run_result> worker_until(weft::checkpoint_store& store,
                                          std::shared_ptr<const weft::durable_graphs> graphs,
                                          weft::durable_options options, std::chrono::nanoseconds span)
{
    weft::durable_engine durable{store, std::move(graphs), std::move(options)};
    co_await durable.open();
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context, weft::failure_policy::keep_going};
    children.spawn(durable.work());
    co_await weft::sleep_for(span);
    co_await durable.close();
    co_await children.join();
    co_return weft::run_result{run_status::finished, weft::run_quality::clean};
}

/** A process that runs the thread and is asked to end after twenty seconds. */
weft::task<weft::run_result> process_that_drains(weft::checkpoint_store& store,
                                                 std::shared_ptr<const weft::durable_graphs> graphs)
{
    weft::durable_engine durable{store, std::move(graphs)};
    co_await durable.open();
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context, weft::failure_policy::keep_going};
    weft::run_result result;
    children.spawn(run_into(durable, result));
    co_await weft::sleep_for(20s);
    co_await durable.close();
    co_await children.join();
    co_return result;
}

bool has(const std::string& text, std::string_view part)
{
    const bool is_there = text.find(part) != std::string::npos;
    if (!is_there) BOOST_TEST_MESSAGE(text);
    return is_there;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_node_waits_for_a_span_longer_than_its_timeout)
{
    simulation sim{1};
    const weft::run_result result = run_in(sim, waits("'span': '10m'"));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST((sim.elapsed() == 10min));
    simulation at_once{1};
    BOOST_TEST(run_in(at_once, waits("'span': '0s'")).message() == "finished");
    BOOST_TEST((at_once.elapsed() == 0s));
}

BOOST_AUTO_TEST_CASE(a_node_waits_until_a_moment_of_the_file_or_of_a_key)
{
    for (const char* until : {"2000-01-01T01:00:00Z", "{deadline}"}) {
        simulation sim{1};
        BOOST_TEST(run_in(sim, waits("'until': '" + std::string{until} + "'")).message() == "finished");
        BOOST_TEST((sim.elapsed() == 1h));
    }
    simulation far{1, {.elapsed_max = 24h * 2000}};
    BOOST_TEST(run_in(far, waits("'until': '2003-01-01T00:00:00Z'")).message() == "finished");
    BOOST_TEST((far.elapsed() == 24h * (366 + 365 + 365)));
    simulation past{1};
    BOOST_TEST(run_in(past, waits("'until': '1999-01-01T00:00:00Z'")).message() == "finished");
    BOOST_TEST((past.elapsed() == 0s));
    simulation wrong{1};
    const weft::run_result result = run_in(wrong, waits("'until': 'on {deadline}'"));
    BOOST_REQUIRE(result.why);
    BOOST_TEST((result.why->code == errc::invalid_configuration));
    BOOST_TEST(has(result.message(), "'on 2000-01-01T02:00:00+01:00', which is no moment"));
}

BOOST_AUTO_TEST_CASE(other_branches_go_on_meanwhile)
{
    simulation sim{1};
    const weft::run_result result = run_in(
        sim, "'state': [{'name': 'end', 'type': 'string'}], 'limits': {'in_flight_max': 1}, 'nodes': [{'name': 'a', "
             "'kind': 'wait', 'settings': {'span': '1h'}}, {'name': 'b', 'kind': 'wait', 'settings': {'span': '1h'}}, "
             "{'name': 'c', 'kind': 'join'}], 'edges': [{'from': '__start__', 'to': 'a'}, {'from': '__start__', "
             "'to': 'b'}, {'from': 'a', 'to': 'c'}, {'from': 'b', 'to': 'c'}]");
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST((sim.elapsed() == 1h));
}

BOOST_AUTO_TEST_CASE(a_durable_run_that_waits_for_a_moment_stays_and_goes_on_by_itself)
{
    for (const char* settings : {"'span': '1h'", "'until': '{deadline}'"}) {
        world at{waits(settings)};
        const weft::run_result result = at.run();
        BOOST_TEST(result.message() == "finished");
        BOOST_TEST((at.sim.elapsed() == 1h));
    }
}

BOOST_AUTO_TEST_CASE(a_run_that_waits_for_long_rests_in_the_store_which_wakes_it)
{
    const std::pair<const char*, const char*> all[]{
        {"'span': '1h'", ""},
        {"'until': '{deadline}'", ""},
        {"'event': 'paid', 'timeout': '1h', 'otherwise': {'note': 'never'}", "'note', 'paid'"}};
    for (const auto& [settings, writes] : all) {
        world at{file_with(settings, writes)};
        const weft::run_result resting = at.sim.run(first_process(at.store, at.graphs));
        BOOST_TEST((resting.status == run_status::paused));
        BOOST_TEST((at.sim.elapsed() >= 1min));
        BOOST_TEST((at.sim.elapsed() < 2min));
        BOOST_TEST(value_of(at.recover(), "end").as_string() == "x");
        BOOST_TEST((at.sim.elapsed() >= 1h));
        BOOST_TEST((at.sim.elapsed() <= 1h + 2s));
    }
    // An event comes while it rests.
    world early{file_with("'event': 'paid', 'timeout': '1h'")};
    (void)early.sim.run(first_process(early.store, early.graphs));
    early.sim.run(early.deliver("paid", {{"paid", 1}}));
    BOOST_TEST(value_of(early.recover(), "paid").as_double() == 1);
    BOOST_TEST((early.sim.elapsed() < 3min));
}

BOOST_AUTO_TEST_CASE(a_run_that_waits_takes_no_place_of_a_worker)
{
    world at{waits("'until': '{deadline}'")};
    const auto with_deadline = [&](std::string thread, const char* deadline) {
        weft::run_request request{std::move(thread)};
        request.input({{"deadline", deadline}});
        return weft::durable_request{std::move(request)};
    };
    {
        simulation::root<weft::run_result> one{
            at.sim, first_process(at.store, at.graphs, {}, with_deadline("long", "2000-01-01T02:00:00Z"))};
        simulation::root<weft::run_result> two{
            at.sim, first_process(at.store, at.graphs, {}, with_deadline("short", "2000-01-01T00:30:00Z"))};
        while (at.sim.elapsed() < 10s) at.sim.step();
    }
    // Both processes are lost: a worker with one place takes both runs, and each goes on at its moment.
    weft::durable_options narrow;
    narrow.runs_max = 1;
    (void)at.sim.run(worker_until(at.store, at.graphs, narrow, 40min));
    BOOST_TEST((at.phase_of("short") == weft::run_phase::finished));
    BOOST_TEST((at.phase_of("long") == weft::run_phase::waiting));
}

BOOST_AUTO_TEST_CASE(a_restart_costs_no_time)
{
    for (const char* settings : {"'span': '1h'", "'until': '{deadline}'"}) {
        world at{waits(settings)};
        {
            simulation::root<weft::run_result> first{at.sim, first_process(at.store, at.graphs)};
            while (at.sim.elapsed() < 20s) at.sim.step();
            BOOST_TEST(!first.has_ended());
        }
        const weft::run_result result = at.recover();
        BOOST_TEST(value_of(result, "end").as_string() == "x");
        BOOST_TEST((at.sim.elapsed() >= 1h));
        BOOST_TEST((at.sim.elapsed() <= 1h + 5s));
    }
    world soon{waits("'span': '50s'")};
    {
        simulation::root<weft::run_result> first{soon.sim, first_process(soon.store, soon.graphs)};
        while (soon.sim.elapsed() < 20s) soon.sim.step();
    }
    BOOST_TEST(value_of(soon.recover(), "end").as_string() == "x");
    BOOST_TEST((soon.sim.elapsed() >= 50s));
    BOOST_TEST((soon.sim.elapsed() <= 55s));
}

BOOST_AUTO_TEST_CASE(a_wait_survives_a_kill_at_every_moment)
{
    std::size_t kills = 0;
    for (std::size_t steps = 1;; ++steps) {
        world at{waits("'span': '90s'")};
        weft::durable_options options;
        options.park_for = 30s;  // so that a kill may come while it rests in the store, too
        if (run_for(at.sim, first_process(at.store, at.graphs, options), steps)) break;
        const weft::run_result result = at.sim.run(later_process(at.store, at.graphs, options));
        BOOST_REQUIRE_MESSAGE(value_of(result, "end").as_string() == "x", "killed after step " << steps);
        // A run that the first process has not entered begins anew; a dead process is given up after 15 s.
        BOOST_REQUIRE_MESSAGE(at.sim.elapsed() >= 90s && at.sim.elapsed() <= 110s,
                              "killed after step " << steps << ": " << at.sim.elapsed().count());
        ++kills;
    }
    BOOST_TEST(kills > 20u);
}

BOOST_AUTO_TEST_CASE(a_process_that_drains_hands_the_wait_over)
{
    world at{waits("'span': '1h'")};
    const weft::run_result drained = at.sim.run(process_that_drains(at.store, at.graphs));
    BOOST_TEST((drained.status == run_status::paused));
    BOOST_TEST((at.sim.elapsed() < 21s));
    BOOST_TEST(value_of(at.recover(), "end").as_string() == "x");
    BOOST_TEST((at.sim.elapsed() <= 1h + 5s));
}

BOOST_AUTO_TEST_CASE(an_event_from_another_process_brings_the_writes)
{
    world at{file_with("'event': 'paid'")};
    const weft::run_result waiting = at.run();
    BOOST_TEST((waiting.status == run_status::paused));
    BOOST_REQUIRE(waiting.questions.size() == 1u);
    BOOST_TEST(waiting.questions[0].address == "wait#1/event:paid#0");
    at.sim.run(at.deliver("paid", {{"paid", 12.5}, {"note", "thanks"}}));
    const weft::run_result result = at.recover();
    BOOST_TEST(value_of(result, "paid").as_double() == 12.5);
    BOOST_TEST(value_of(result, "note").as_string() == "thanks");
    BOOST_TEST(value_of(result, "end").as_string() == "x");
}

BOOST_AUTO_TEST_CASE(an_event_that_does_not_fit_or_that_nobody_waits_for_is_refused)
{
    world at{file_with("'event': 'paid'")};
    BOOST_TEST((at.refusal("paid", nullptr) == errc::thread_not_found));
    (void)at.run();
    BOOST_TEST((at.refusal("payed", nullptr) == errc::unknown_question));
    BOOST_TEST(has(at.said, "no node waits for the event 'payed' now; awaited are 'paid'"));
    BOOST_TEST((at.refusal("paid", {{"paid", "much"}}) == errc::invalid_answer));
    BOOST_TEST((at.refusal("paid", {{"piad", 1}}) == errc::invalid_answer));
    BOOST_TEST((at.refusal("paid", "text") == errc::invalid_answer));
    BOOST_TEST((at.refusal("paid", nullptr) == errc{}));
    BOOST_TEST((at.refusal("paid", {{"paid", 1}}) == errc::unknown_question));
    BOOST_TEST(!at.recover().state.to_json().contains("paid"));
}

BOOST_AUTO_TEST_CASE(what_comes_with_an_event_goes_to_one_key)
{
    world one{file_with("'event': 'noted'", "'note'")};
    (void)one.run();
    BOOST_TEST((one.refusal("noted", 3) == errc::invalid_answer));
    one.sim.run(one.deliver("noted", "a word"));
    BOOST_TEST(value_of(one.recover(), "note").as_string() == "a word");
    world into{file_with("'event': 'noted', 'into': 'paid'")};
    (void)into.run();
    BOOST_TEST((into.refusal("noted", {{"paid", 3}}) == errc::invalid_answer));
    into.sim.run(into.deliver("noted", 3));
    BOOST_TEST(value_of(into.recover(), "paid").as_double() == 3);
}

BOOST_AUTO_TEST_CASE(an_event_that_does_not_come_in_time_fails_the_node_or_has_its_other_value)
{
    world late{file_with("'event': 'paid', 'timeout': '2h'")};
    const weft::run_result failed = late.run();
    BOOST_REQUIRE(failed.why);
    BOOST_TEST((failed.why->code == errc::timeout));
    BOOST_TEST((late.sim.elapsed() == 2h));
    world other{file_with("'event': 'paid', 'timeout': '2h', 'otherwise': {'note': 'never'}")};
    const weft::run_result result = other.run();
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "note").as_string() == "never");
    BOOST_TEST((other.sim.elapsed() == 2h));
}

BOOST_AUTO_TEST_CASE(an_event_reaches_a_run_that_stays_with_its_process)
{
    world at{file_with("'event': 'paid', 'timeout': '2h'")};
    simulation::root<weft::run_result> running{at.sim, first_process(at.store, at.graphs)};
    while (at.sim.elapsed() < 20s) at.sim.step();
    at.sim.run(at.deliver("paid", {{"paid", 1}}));
    while (!running.has_ended()) at.sim.step();
    BOOST_TEST(running.take().message() == "finished");
    BOOST_TEST((at.sim.elapsed() < 21s));
}

BOOST_AUTO_TEST_CASE(an_event_reaches_all_that_wait_for_it)
{
    world at{"'state': [{'name': 'all', 'type': 'list', 'reducer': 'append'}], 'nodes': [{'name': 'a', 'kind': 'wait', "
             "'writes': ['all'], 'settings': {'event': 'go'}}, {'name': 'b', 'kind': 'wait', 'writes': ['all'], "
             "'settings': {'event': 'go'}}, {'name': 'c', 'kind': 'join'}], 'edges': [{'from': '__start__', 'to': "
             "'a'}, {'from': '__start__', 'to': 'b'}, {'from': 'a', 'to': 'c'}, {'from': 'b', 'to': 'c'}]"};
    (void)at.run();
    at.sim.run(at.deliver("go", {{"all", {1}}}));
    BOOST_TEST(value_of(at.recover(), "all").as_array().size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_stop_ends_the_wait)
{
    simulation sim{1};
    const weft::loaded_graph loaded = load(waits("'span': '1h'"));
    const weft::engine engine{loaded.what};
    bool has_asked = false;
    weft::run_request request;
    request.on_event([&](const weft::run_event& event) {
        has_asked |= event.what == weft::run_event::kind::question_asked;
    });
    simulation::root<weft::run_result> running{sim, engine.run(std::move(request))};
    while (!has_asked) sim.step();
    running.request_stop();
    while (!running.has_ended()) sim.step();
    BOOST_TEST((running.take().status == run_status::cancelled));
    BOOST_TEST((sim.elapsed() < 1h));
}

BOOST_AUTO_TEST_CASE(all_mistakes_of_a_node_are_told_at_once)
{
    const weft::node_registry known = registry_around({});
    const auto problem = [&](std::string_view settings) { return all_mistakes(file_with(settings), known); };
    const std::string all =
        problem("'until': 'tomorrow', 'span': '1s', 'timeout': '1s', 'otherwise': {}, 'into': 'end'");
    for (const char* part :
         {"give one of \"span\", \"until\" and \"event\"", "settings.until: is no moment",
          "settings.timeout: is for an event", "settings.otherwise: is for an event", "settings.into: is for an event",
          "the node's writes do not name 'end'"})
        BOOST_TEST(has(all, part));
    BOOST_TEST(has(problem(""), "give one of"));
    BOOST_TEST(has(problem("'event': 'a b', 'otherwise': {}"), "settings.event: the name of an event"));
    BOOST_TEST(has(problem("'event': 'a', 'otherwise': {}"), "give a \"timeout\""));
    BOOST_TEST(has(problem("'event': 'a', 'timeout': '0s'"), "longer than nothing"));
    BOOST_TEST(has(problem("'event': 'a', 'timeout': '1s', 'otherwise': {'paid': 'x'}"), "settings.otherwise: "));
    BOOST_TEST(has(problem("'until': '{nobody}'"), "nobody"));
    BOOST_TEST(has(problem("'span': '99999h'"), "ten years"));
    BOOST_TEST(problem("'span': '9999h'") == "");
}

BOOST_AUTO_TEST_CASE(a_graph_says_the_file_it_came_from)
{
    const weft::node_registry known = registry_around({});
    BOOST_TEST(survives_writing(file_with("'event': 'a', 'timeout': '5s', 'otherwise': {'note': 'x'}"), known));
    BOOST_TEST(survives_writing(file_with("'event': 'a', 'into': 'note'"), known));
    BOOST_TEST(survives_writing(waits("'until': '{deadline}'"), known));
    BOOST_TEST(survives_writing(waits("'span': '5s'"), known));
}

BOOST_AUTO_TEST_SUITE_END()
