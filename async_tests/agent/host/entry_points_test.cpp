#include <boost/test/unit_test.hpp>

#include "agent/streams.hpp"

#include <weft/agent/host/entry_points.hpp>
#include <weft/agent/host/webhook_signature.hpp>
#include <weft/async/scope.hpp>
#include <weft/testing/async_test_case.hpp>

#include <boost/json/serialize.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;
using weft::entry_points;

BOOST_AUTO_TEST_SUITE(entry_points_test)

namespace {

/** Runs in the thread that the payload names. */
weft::run_request request_for(const weft::entry_call& call)
{
    const boost::json::object* const payload = call.payload.if_object();
    const boost::json::value* const name = payload ? payload->if_contains("thread") : nullptr;
    if (name && !name->is_string())
        throw weft::error{weft::errc::unexpected_json, "payload.thread", "expected a string"};
    return weft::run_request{name ? std::string{name->get_string()} : call.entry_point + " by " + call.by};
}

weft::entry_point entry_named(std::string id, fake_runs& runs)
{
    weft::entry_point made;
    made.id = std::move(id);
    made.request = &request_for;
    made.run = runs_of(runs);
    return made;
}

std::string fault_of_entry(entry_points& ways, weft::entry_point what)
{
    try {
        ways.add(std::move(what));
    } catch (const weft::error& e) {
        return e.detail();
    }
    return {};
}

std::string fault_of_trigger(entry_points& ways, std::string_view id)
{
    try {
        ways.trigger(id, nullptr);
    } catch (const weft::error& e) {
        return e.detail();
    }
    return {};
}

}  // namespace

WEFT_ASYNC_TEST_CASE(HIV_42_a_program_begins_a_run)
{
    const weft::task_context& context = co_await weft::this_task::context();
    fake_runs runs;
    entry_points ways{*context.loop};
    ways.add(entry_named("mail", runs));
    BOOST_TEST(fault_of_trigger(ways, "mail").find("do not work yet") != std::string::npos);
    weft::scope children{context};
    children.spawn(ways.work());
    BOOST_TEST(fault_of_trigger(ways, "post").find("none of that id") != std::string::npos);
    const std::string id = ways.trigger("mail", {{"thread", "ada"}});
    co_await weft::sleep_for(1s);
    BOOST_TEST(ways.active() == 1u);
    BOOST_TEST(runs.text() == "begin ada");
    ways.close();
    co_await children.join();
    BOOST_TEST(runs.text() == "begin ada, finished ada");
    const weft::execution* const kept = ways.stream_of("mail")->find(id);
    BOOST_TEST((kept && kept->result && kept->result->status == weft::run_status::finished));
    BOOST_TEST(fault_of_trigger(ways, "mail").find("do not work yet") != std::string::npos);
}

WEFT_ASYNC_TEST_CASE(HIV_42_entry_points_are_checked)
{
    const weft::task_context& context = co_await weft::this_task::context();
    fake_runs runs;
    entry_points ways{*context.loop};
    ways.add(entry_named("mail", runs));
    BOOST_TEST(fault_of_entry(ways, entry_named("mail", runs)) == "it is there already");
    BOOST_TEST(fault_of_entry(ways, entry_named("", runs)) == "it has no id");
    weft::entry_point idle;
    idle.id = "idle";
    BOOST_TEST(fault_of_entry(ways, idle).find("nothing to run") != std::string::npos);
    weft::entry_point timer = entry_named("timer", runs);
    timer.timer.emplace();
    BOOST_TEST(fault_of_entry(ways, timer).find("neither cron nor interval") != std::string::npos);
    timer.timer->cron = "61 * * * *";
    BOOST_TEST(fault_of_entry(ways, timer).find("minute '61'") != std::string::npos);
    weft::entry_point events = entry_named("events", runs);
    events.events.emplace();
    BOOST_TEST(fault_of_entry(ways, events).find("no bus") != std::string::npos);
    weft::scope children{context};
    children.spawn(ways.work());
    BOOST_TEST(fault_of_entry(ways, entry_named("late", runs)).find("at work") != std::string::npos);
    ways.close();
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(HIV_42_timers_tick_by_interval_and_not_while_somebody_works)
{
    const weft::task_context& context = co_await weft::this_task::context();
    fake_runs runs;
    weft::entry_points_options options;
    options.timers_wait = 5min;
    entry_points ways{*context.loop, options};
    weft::entry_point beat = entry_named("beat", runs);
    beat.timer.emplace();
    beat.timer->interval = 4min;
    beat.timer->runs_at_once = true;
    ways.add(std::move(beat));
    weft::scope children{context};
    children.spawn(ways.work());
    co_await weft::sleep_for(1min);
    BOOST_TEST(runs.log.size() == 2u);  // at once
    co_await weft::sleep_for(4min);
    BOOST_TEST(runs.log.size() == 2u);  // after 4 min: ended less than 5 min ago
    co_await weft::sleep_for(4min);
    BOOST_TEST(runs.log.size() == 4u);  // after 8 min
    ways.pause_timers();
    co_await weft::sleep_for(30min);
    BOOST_TEST(runs.log.size() == 4u);
    ways.resume_timers();
    co_await weft::sleep_for(5min);
    BOOST_TEST(runs.log.size() == 6u);
    BOOST_TEST(runs.log.back() == "finished beat by timer");
    ways.close();
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(HIV_42_a_schedule_beats_an_interval)
{
    const weft::task_context& context = co_await weft::this_task::context();
    fake_runs runs;
    runs.time = 1s;
    weft::entry_points_options options;
    options.timers_wait = 0s;
    entry_points ways{*context.loop, options};
    weft::entry_point hourly = entry_named("hourly", runs);
    hourly.timer.emplace();
    hourly.timer->cron = "0 * * * *";
    hourly.timer->interval = 1min;
    ways.add(std::move(hourly));
    weft::scope children{context};
    children.spawn(ways.work());
    co_await weft::sleep_for(10h + 30min);  // from midnight
    BOOST_TEST(runs.log.size() == 20u);
    ways.close();
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(HIV_42_a_webhook_begins_a_run)
{
    const weft::task_context& context = co_await weft::this_task::context();
    fake_runs runs;
    entry_points ways{*context.loop};
    weft::entry_point orders = entry_named("orders", runs);
    orders.webhook.emplace();
    orders.webhook->path = "/hooks/orders";
    orders.webhook->secret = weft::secret_string{"s3cret"};
    ways.add(std::move(orders));
    weft::webhook_request request;
    request.path = "/hooks/orders";
    request.body = R"({"thread":"order-7"})";
    request.headers.add("X-Hub-Signature-256", weft::webhook_signature(request.body, weft::secret_string{"s3cret"}));
    BOOST_TEST(ways.receive(request).status == 503u);
    weft::scope children{context};
    children.spawn(ways.work());
    const weft::webhook_answer answer = ways.receive(request);
    BOOST_TEST(answer.status == 202u);
    BOOST_TEST(answer.body.at("status").as_string() == "accepted");
    BOOST_TEST(ways.stream_of("orders")->find(std::string{answer.body.at("execution").as_string()}));
    weft::webhook_request forged = request;
    forged.body = R"({"thread":"order-8"})";
    BOOST_TEST(ways.receive(forged).status == 401u);
    weft::webhook_request wrong = forged;
    wrong.body = R"({"thread":8})";
    wrong.headers.set("X-Hub-Signature-256", weft::webhook_signature(wrong.body, weft::secret_string{"s3cret"}));
    BOOST_TEST(ways.receive(wrong).status == 400u);
    ways.close();
    co_await children.join();
    BOOST_TEST(runs.text() == "begin order-7, finished order-7");
    BOOST_TEST(ways.receive(request).status == 503u);
}

WEFT_ASYNC_TEST_CASE(HIV_44_three_deliveries_of_one_webhook_are_one_run)
{
    const weft::task_context& context = co_await weft::this_task::context();
    fake_runs runs;
    entry_points ways{*context.loop};
    weft::entry_point orders = entry_named("orders", runs);
    orders.webhook.emplace();
    orders.webhook->path = "/hooks/orders";
    ways.add(std::move(orders));
    weft::scope children{context};
    children.spawn(ways.work());
    weft::webhook_request request;
    request.path = "/hooks/orders";
    request.headers.add("Idempotency-Key", "delivery-1");
    std::vector<std::string> runs_told;
    for (int i = 0; i < 3; ++i) {
        const weft::webhook_answer answer = ways.receive(request);
        BOOST_TEST(answer.status == 202u);
        runs_told.emplace_back(answer.body.at("execution").as_string());
        co_await weft::sleep_for(7s);
    }
    BOOST_TEST(runs_told[0] == runs_told[1]);
    BOOST_TEST(runs_told[1] == runs_told[2]);
    BOOST_TEST(runs.text() == "begin orders by webhook, finished orders by webhook");
    request.headers.set("Idempotency-Key", "delivery-2");
    const weft::webhook_answer other = ways.receive(request);
    BOOST_TEST(other.body.at("execution").as_string() != runs_told[0]);
    ways.close();
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(HIV_42_an_event_begins_a_run_but_not_one_of_its_own_graph)
{
    const weft::task_context& context = co_await weft::this_task::context();
    fake_runs runs;
    weft::event_bus bus;
    weft::entry_points_options options;
    options.bus = &bus;
    entry_points ways{*context.loop, options};
    weft::entry_point watch = entry_named("watch", runs);
    watch.events.emplace(std::vector<std::string>{"alarm"});
    watch.graph = "guard";
    ways.add(std::move(watch));
    weft::scope children{context};
    children.spawn(bus.deliver());
    children.spawn(ways.work());
    weft::bus_event own{"alarm", boost::json::object{{"thread", "own"}}};
    own.graph = "guard";
    bus.publish(own);
    bus.publish(weft::bus_event{"other", boost::json::object{{"thread", "other"}}});
    bus.publish(weft::bus_event{"alarm", boost::json::object{{"thread", "house"}}});
    co_await weft::sleep_for(1s);
    BOOST_TEST(runs.text() == "begin house");
    ways.close();
    co_await weft::sleep_for(20s);
    bus.publish(weft::bus_event{"alarm", boost::json::object{{"thread", "late"}}});
    bus.close();
    co_await children.join();
    BOOST_TEST(runs.text() == "begin house, finished house");
}

WEFT_ASYNC_TEST_CASE(runs_of_different_entry_points_go_side_by_side_up_to_a_limit)
{
    const weft::task_context& context = co_await weft::this_task::context();
    fake_runs runs;
    weft::entry_points_options options;
    options.executions_max = 2;
    entry_points ways{*context.loop, options};
    for (const char* id : {"a", "b", "c"}) ways.add(entry_named(id, runs));
    weft::scope children{context};
    children.spawn(ways.work());
    ways.trigger("a", nullptr);
    ways.trigger("b", nullptr);
    co_await weft::sleep_for(1s);
    BOOST_TEST(runs.most_at_once == 2);
    BOOST_TEST(fault_of_trigger(ways, "c").find("2 entry points have a run") != std::string::npos);
    ways.trigger("a", nullptr);  // takes the place of its own
    BOOST_TEST(ways.stop_all() == 2u);
    co_await weft::sleep_for(1s);
    BOOST_TEST(ways.active() == 0u);
    ways.close();
    co_await children.join();
}

BOOST_AUTO_TEST_SUITE_END()
