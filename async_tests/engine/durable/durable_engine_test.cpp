#include <weft/testing/async_test_case.hpp>

#include "durable_cases.hpp"

#include <weft/async/scope.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/graph/answer_parsing.hpp>

using namespace weft_tests;
using weft::run_status;
using weft::thread_key;

BOOST_AUTO_TEST_SUITE(durable_engine_test)

WEFT_ASYNC_TEST_CASE(HIV_27_a_run_is_kept_after_each_step_and_at_its_end)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(counted_chain(begun))};
    co_await durable.open();
    const weft::run_result result = co_await durable.run(in_thread("t"));
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(result.state.get(total) == 3);
    const auto kinds = co_await kinds_of(durable, "t");
    BOOST_TEST(kinds == (std::vector<std::string>{"node_complete a", "node_complete b", "finish"}));
    const weft::thread_key key{"t"};
    const auto active = co_await store.active_run(key);
    BOOST_TEST(!active);
}

WEFT_ASYNC_TEST_CASE(HIV_27_checkpoints_before_nodes_are_there_for_who_wants_them)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_options options;
    options.is_before_nodes = true;
    weft::durable_engine durable{store, graphs_of(counted_chain(begun)), options};
    co_await durable.open();
    const weft::run_result result = co_await durable.run(in_thread("t"));
    BOOST_TEST((result.status == run_status::finished));
    const auto kinds = co_await kinds_of(durable, "t");
    BOOST_TEST(kinds == (std::vector<std::string>{"node_start a", "node_complete a", "node_start b", "node_complete b",
                                                  "node_start c", "finish"}));
}

WEFT_ASYNC_TEST_CASE(PYA_7_a_finished_thread_begins_anew_with_what_it_left_and_the_input_joins)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(counted_chain(begun))};
    co_await durable.open();
    weft::run_request first{"t"};
    first.input(total, 100).input(other, 5);
    static_cast<void>(co_await durable.run(std::move(first)));
    weft::run_request second{"t"};
    second.input(total, 1000);
    const weft::run_result result = co_await durable.run(std::move(second));
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(result.state.get(total) == 1106);
    BOOST_TEST(result.state.get(other) == 5);
    BOOST_TEST(result.steps == 3u);
    const weft::run_result elsewhere = co_await durable.run(in_thread("u"));
    BOOST_TEST(elsewhere.state.get(total) == 3);
}

WEFT_ASYNC_TEST_CASE(HIV_29_a_paused_run_goes_on_at_the_next_node_and_keeps_its_counts)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::node_options pausing;
    pausing.pauses = weft::pause_point::before;
    weft::run_options limits;
    limits.steps_max(3);
    weft::durable_engine durable{store, graphs_of(counted_chain(begun, pausing), limits)};
    co_await durable.open();
    const weft::run_result paused = co_await durable.run(in_thread("t"));
    BOOST_TEST((paused.status == run_status::paused));
    const thread_key key{"t"};
    const auto active = co_await store.active_run(key);
    BOOST_TEST_REQUIRE(active.has_value());
    BOOST_TEST((active->phase == weft::run_phase::waiting));
    const weft::run_result result = co_await durable.resume(key);
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(result.steps == 3u);
    BOOST_TEST(begun->times["a"] == 1);
    const auto kinds = co_await kinds_of(durable, "t");
    BOOST_TEST(kinds == (std::vector<std::string>{"node_complete a", "pause", "node_complete b", "finish"}));
}

WEFT_ASYNC_TEST_CASE(HIV_29_three_pauses_do_not_extend_the_limit_of_steps)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::graph_builder builder{"round"};
    builder.state(value, other, total, words);
    weft::node_options pausing;
    pausing.pauses = weft::pause_point::after;
    builder.node("a", counts(begun, 1ms), pausing).edge(weft::start, "a").edge("a", "a");
    weft::run_options limits;
    limits.steps_max(3);
    weft::durable_engine durable{store, graphs_of(builder.build(), limits)};
    co_await durable.open();
    const thread_key key{"t"};
    weft::run_result result = co_await durable.run(in_thread("t"));
    int pauses = 0;
    for (; pauses < 10 && result.status == run_status::paused; ++pauses) {
        BOOST_TEST(result.steps == static_cast<std::uint32_t>(pauses) + 1);
        BOOST_TEST(begun->times["a"] == pauses + 1);
        weft::run_result next = co_await durable.resume(key);
        result = std::move(next);
    }
    BOOST_TEST(pauses == 3);
    BOOST_TEST((result.status == run_status::failed));
    BOOST_TEST((result.why->code == weft::errc::steps_exceeded));
    BOOST_TEST(result.steps == 3u);
    BOOST_TEST(begun->times["a"] == 3);
}

WEFT_ASYNC_TEST_CASE(PYA_5_another_run_of_a_waiting_thread_resumes_it_and_its_input_joins)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::node_options pausing;
    pausing.pauses = weft::pause_point::both;
    weft::durable_engine durable{store, graphs_of(counted_chain(begun, pausing))};
    co_await durable.open();
    static_cast<void>(co_await durable.run(in_thread("t")));
    weft::run_request more{"t"};
    more.input(total, 40);
    weft::run_result result = co_await durable.run(std::move(more));
    BOOST_TEST((result.status == run_status::paused));  // behind b
    BOOST_TEST(result.state.get(total) == 42);
    weft::durable_request last = in_thread("t");
    last.on_busy(weft::busy_policy::queue);
    result = co_await durable.run(std::move(last));
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(result.state.get(total) == 43);
    BOOST_TEST(begun->times == (std::map<std::string, int>{{"a", 1}, {"b", 1}, {"c", 1}}));
}

WEFT_ASYNC_TEST_CASE(PYA_17_a_failed_run_is_kept_and_one_that_begins_anew_has_its_state)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::graph_builder builder{"failing"};
    builder.state(value, other, total, words);
    builder.node("a", counts(begun, 1ms)).node("b", fails(1ms)).edge(weft::start, "a").edge("a", "b");
    weft::durable_engine durable{store, graphs_of(builder.build())};
    co_await durable.open();
    const weft::run_result result = co_await durable.run(in_thread("t"));
    BOOST_TEST((result.status == run_status::failed));
    BOOST_TEST((result.why->code == weft::errc::model_rejected));
    const auto kinds = co_await kinds_of(durable, "t");
    BOOST_TEST(kinds == (std::vector<std::string>{"node_complete a", "finish b"}));
    weft::durable_request anew = in_thread("t");
    anew.anew();
    const weft::run_result again = co_await durable.run(std::move(anew));
    BOOST_TEST(again.state.get(total) == 2);
}

WEFT_ASYNC_TEST_CASE(HIV_30_a_stopped_thread_keeps_its_partial_work_and_goes_on_where_it_was)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(counted_chain(begun))};
    co_await durable.open();
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    const auto run_it = [](weft::durable_engine& with, weft::run_status& status) -> weft::task<void> {
        const weft::run_result result = co_await with.run(in_thread("t"));
        status = result.status;
    };
    weft::run_status status = run_status::finished;
    children.spawn(run_it(durable, status));
    co_await weft::sleep_for(15ms);  // b runs
    const thread_key key{"t"};
    const bool was_active = co_await durable.stop(key);
    BOOST_TEST(was_active);
    co_await children.join();
    BOOST_TEST((status == run_status::cancelled));
    const auto kinds = co_await kinds_of(durable, "t");
    BOOST_TEST(kinds.back() == "cancel");
    const weft::run_result result = co_await durable.run(in_thread("t"));
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(result.state.get(total) == 3);
    BOOST_TEST(begun->times == (std::map<std::string, int>{{"a", 1}, {"b", 2}, {"c", 1}}));
    const bool is_active = co_await durable.stop(key);
    BOOST_TEST(!is_active);
}

WEFT_ASYNC_TEST_CASE(PYA_6_a_paused_thread_starts_no_further_node)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(counted_chain(begun))};
    co_await durable.open();
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    const auto pause_it = [](weft::durable_engine& with) -> weft::task<void> {
        co_await weft::sleep_for(5ms);
        const thread_key key{"t"};
        static_cast<void>(co_await with.pause(key));
    };
    children.spawn(pause_it(durable));
    const weft::run_result paused = co_await durable.run(in_thread("t"));
    co_await children.join();
    BOOST_TEST((paused.status == run_status::paused));
    BOOST_TEST(begun->times.contains("b") == false);
    const thread_key key{"t"};
    const weft::run_result result = co_await durable.resume(key);
    BOOST_TEST((result.status == run_status::finished));
}

WEFT_ASYNC_TEST_CASE(a_thread_without_a_waiting_run_cannot_be_resumed)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(counted_chain(begun))};
    co_await durable.open();
    weft::errc code = weft::errc::cancelled;
    try {
        const thread_key key{"t"};
        static_cast<void>(co_await durable.resume(key));
    } catch (const weft::error& e) {
        code = e.code();
    }
    BOOST_TEST((code == weft::errc::thread_not_found));
}

WEFT_ASYNC_TEST_CASE(HIV_31_P33_only_the_last_checkpoints_stay)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::graph_builder builder{"round"};
    builder.state(value, other, total, words);
    builder.node("a", counts(begun, 0ms)).edge(weft::start, "a");
    builder.edge_when("a", "a", [](const weft::state_view& state) { return state.get(total) < 100; });
    builder.edge("a", weft::end);
    weft::durable_engine durable{store, graphs_of(builder.build())};
    co_await durable.open();
    const weft::run_result result = co_await durable.run(in_thread("t"));
    BOOST_TEST((result.status == run_status::finished));
    const thread_key key{"t"};
    const auto infos = co_await durable.history(key);
    BOOST_TEST(infos.size() == 20u);
    BOOST_TEST(infos.front().sequence == 100);
    for (std::size_t i = 1; i < infos.size(); ++i) BOOST_TEST((infos[i].id < infos[i - 1].id));
}

WEFT_ASYNC_TEST_CASE(a_run_that_its_loop_hard_stops_is_cancelled_and_the_store_knows)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(counted_chain(begun))};
    co_await durable.open();
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    const auto run_it = [](weft::durable_engine& with) -> weft::task<void> {
        const weft::run_result result = co_await with.run(in_thread("t"));
        BOOST_TEST((result.status == run_status::cancelled));
    };
    children.spawn(run_it(durable));
    co_await weft::sleep_for(5ms);
    children.request_stop();
    co_await children.join();
    const thread_key key{"t"};
    const auto active = co_await store.active_run(key);
    BOOST_TEST(!active);
}

namespace {

weft::task<void> run_and_note(weft::durable_engine& with, int number, std::vector<std::int64_t>& totals)
{
    weft::run_request request{"t-" + std::to_string(number)};
    request.input(total, number);
    const weft::run_result result = co_await with.run(std::move(request));
    totals[static_cast<std::size_t>(number)] = result.state.get(total);
}

/** The events of a durable run, one a line. */
std::string event_log_of(std::uint64_t seed)
{
    weft::testing::simulation sim{seed};
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(counted_maze(std::make_shared<begun_nodes>()))};
    sim.run(durable.open());
    std::string log;
    const auto note = [&log](const weft::run_event& event) {
        log += std::to_string(event.sequence) + " " + std::to_string(static_cast<int>(event.what)) + " " +
               std::string{event.node} + " " + std::to_string(event.at.time_since_epoch().count()) + "\n";
    };
    weft::run_request request{"t"};
    request.on_event(note);
    static_cast<void>(sim.run(durable.run(std::move(request))));
    for (const auto& info : sim.run(durable.history(thread_key{"t"}, weft::history_page{.count_max = 1000})))
        log += std::to_string(info.sequence) + " " + info.node + " " + info.id.text() + "\n";
    sim.run(durable.close());
    return log;
}

/** Asks one question of each kind, and notes what was said. */
weft::task<void> ask_all_kinds(weft::node_context& context)
{
    weft::question free{"Why?"};
    weft::question chosen = weft::question::selection("Which?", {"red", "blue"});
    weft::question approved = weft::question::approval("Send it?");
    weft::question fields = weft::question::multi_field("Who?", {weft::question_field{"name"}});
    weft::question shaped = weft::question::of_type<std::int64_t>("How many?");
    std::string said;
    for (const weft::question& each : {free, chosen, approved, fields, shaped}) {
        weft::question asked = each;
        const boost::json::value answer = co_await context.interrupt(std::move(asked));
        said += weft::to_json_text(answer) + " ";
    }
    context.set(words, said);
}

}  // namespace

WEFT_ASYNC_TEST_CASE(PYA_7_a_hundred_threads_side_by_side_do_not_see_one_another)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(counted_chain(begun))};
    co_await durable.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::vector<std::int64_t> totals(100);
    weft::scope children{context};
    for (int i = 0; i < 100; ++i) children.spawn(run_and_note(durable, i, totals));
    co_await children.join();
    for (int i = 0; i < 100; ++i) BOOST_TEST(totals[static_cast<std::size_t>(i)] == i + 3);
    const auto threads = co_await store.threads("", "", 1000);
    BOOST_TEST(threads.size() == 100u);
}

WEFT_ASYNC_TEST_CASE(PYA_5_a_pause_point_stops_once_for_each_visit_in_whichever_process)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::graph_builder builder{"round"};
    builder.state(value, other, total, words);
    weft::node_options pausing;
    pausing.pauses = weft::pause_point::before;
    builder.node("a", counts(begun, 1ms), pausing).edge(weft::start, "a");
    builder.edge_when("a", "a", [](const weft::state_view& state) { return state.get(total) < 3; });
    builder.edge("a", weft::end);
    const auto graphs = graphs_of(builder.build());
    weft::durable_engine one{store, graphs};
    weft::durable_engine two{store, graphs};
    co_await one.open();
    co_await two.open();
    const thread_key key{"t"};
    weft::run_result result = co_await one.run(in_thread("t"));
    int resumes = 0;
    for (; result.status == run_status::paused && resumes < 10; ++resumes) {
        BOOST_TEST(begun->times["a"] == resumes);
        weft::durable_engine& next = resumes % 2 == 0 ? two : one;
        result = co_await next.resume(key);
    }
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(resumes == 3);
}

WEFT_ASYNC_TEST_CASE(HIV_32_questions_of_every_kind_are_asked_and_answered_through_the_store)
{
    weft::memory_store store{test_key()};
    weft::graph_builder builder{"kinds"};
    builder.state(value, other, total, words);
    const auto graphs = graphs_of(builder.node("a", &ask_all_kinds).edge(weft::start, "a").build());
    weft::durable_engine one{store, graphs};
    weft::durable_engine two{store, graphs};
    co_await one.open();
    co_await two.open();
    const thread_key key{"t"};
    weft::run_result result = co_await one.run(in_thread("t"));
    for (const char* typed : {"because", "2", "yes", "name: Ada", "7"}) {
        BOOST_TEST_REQUIRE((result.status == run_status::paused));
        const std::vector<weft::open_question> open = co_await two.questions(key);
        BOOST_TEST_REQUIRE(open.size() == 1u);
        const auto answer = weft::parse_answer(open.front().asked, typed);
        BOOST_TEST_REQUIRE(answer.has_value());
        weft::question_answers answers;
        answers.emplace(open.front().address, *answer);
        result = co_await two.resume(key, answers);
    }
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(result.state.get(words).front() == R"("because" "blue" true {"name":"Ada"} 7 )");
}

BOOST_AUTO_TEST_CASE(X_1_the_same_seed_gives_the_same_events_and_checkpoints)
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) BOOST_TEST(event_log_of(seed) == event_log_of(seed));
    BOOST_TEST(event_log_of(1) != event_log_of(2));
}

BOOST_AUTO_TEST_SUITE_END()
