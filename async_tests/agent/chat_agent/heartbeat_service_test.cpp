#include <boost/test/unit_test.hpp>

#include "agent/agent_graphs.hpp"

#include <weft/agent/chat_agent/heartbeat_service.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/testing/simulation/suspension_points.hpp>

#include <stdexcept>

using namespace weft_tests;
using namespace std::chrono_literals;
using weft::heartbeat_event;
using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(heartbeat_service_test)

namespace {

/** A service whose beats and notices are kept. One cycle for each beat. */
struct heard_service {
    explicit heard_service(std::shared_ptr<weft::chat_model> model)
        : service{graph_of(std::move(model)), options()}
    {
    }
    static weft::graph graph_of(std::shared_ptr<weft::chat_model> model)
    {
        weft::heartbeat_options options;
        options.agent = options_with(std::move(model));
        options.directive = "Look after the garden.";
        options.cycles_max = 1;
        return weft::heartbeat_graph(std::move(options));
    }
    weft::heartbeat_service_options options()
    {
        weft::heartbeat_service_options result;
        result.every = 60s;
        result.on_audit = [this](const heartbeat_event& event) { audited.push_back(event); };
        result.on_notice = [this](const heartbeat_event& event) {
            noticed.push_back(event.failures_in_a_row);
            throw std::runtime_error{"the notifier is broken"};
        };
        return result;
    }
    [[nodiscard]] std::size_t count(heartbeat_event::kind what) const
    {
        std::size_t found = 0;
        for (const heartbeat_event& event : audited) found += event.what == what ? 1 : 0;
        return found;
    }

    std::vector<heartbeat_event> audited;
    std::vector<std::uint32_t> noticed;
    weft::heartbeat_service service;
};

std::shared_ptr<weft::testing::scripted_model> failing_then_fine(std::size_t failures)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    if (failures > 0) model->then(scripted_turn{}.fails(weft::errc::model_overloaded), failures);
    model->otherwise(scripted_turn{"Watered. " + done_block});
    return model;
}

/** Lets a service run for so long and stops it. */
weft::task<void> run_for(weft::heartbeat_service& service, std::chrono::seconds span)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(service.run());
    co_await weft::sleep_for(span);
    children.request_stop();
    co_await children.join();
}

weft::task<void> beat_during_beat(weft::heartbeat_service& service, bool& refused)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(service.run());
    co_await weft::sleep_for(61s);
    const bool has_beaten = co_await service.beat();
    refused = !has_beaten && service.is_beating();
    children.request_stop();
    co_await children.join();
}

}  // namespace

BOOST_AUTO_TEST_CASE(SUL_11_beats_come_by_the_clock_each_with_a_fresh_talk)
{
    const auto model = failing_then_fine(0);
    heard_service heard{model};
    weft::testing::simulation sim{1};
    sim.run(run_for(heard.service, 185s));
    BOOST_TEST(heard.count(heartbeat_event::kind::started) == 3u);
    BOOST_TEST(heard.count(heartbeat_event::kind::completed) == 3u);
    BOOST_REQUIRE(model->requests().size() == 3u);
    for (const weft::chat_request& asked : model->requests()) BOOST_TEST(asked.messages.size() == 2u);
    const std::string second = model->requests()[1].messages.back().text();
    BOOST_TEST(second.find("## What the cycle before did\nAll is well.") != std::string::npos);
    BOOST_TEST(heard.audited[0].thread == "heartbeat_1");
    BOOST_TEST(!heard.service.is_beating());
}

BOOST_AUTO_TEST_CASE(SUL_20_people_hear_of_the_third_failure_and_of_every_twenty_fifth)
{
    heard_service heard{failing_then_fine(51)};
    weft::testing::simulation sim{1};
    sim.run(run_for(heard.service, 52min + 30s));
    BOOST_TEST(heard.count(heartbeat_event::kind::failed) == 51u);
    const std::vector<std::uint32_t> expected{3, 25, 50};
    BOOST_TEST(heard.noticed == expected, boost::test_tools::per_element());
    BOOST_TEST(heard.service.failures().count == 0u);  // the last one succeeded
}

BOOST_AUTO_TEST_CASE(SUL_20_a_success_begins_a_new_streak)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    const scripted_turn fails = scripted_turn{}.fails(weft::errc::model_overloaded);
    model->then(fails, 2).then(scripted_turn{done_block}).then(fails, 2).otherwise(scripted_turn{done_block});
    heard_service heard{model};
    weft::testing::simulation sim{1};
    sim.run(run_for(heard.service, 6min + 30s));
    BOOST_TEST(heard.noticed.empty());
    BOOST_TEST(heard.count(heartbeat_event::kind::failed) == 4u);
}

BOOST_AUTO_TEST_CASE(SUL_20_a_beat_that_is_stopped_neither_fails_nor_succeeds)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(scripted_turn{}.fails(weft::errc::model_overloaded), 2)
        .then(scripted_turn{}.wait(30s).text(done_block));
    heard_service heard{model};
    weft::testing::simulation sim{1};
    sim.run(run_for(heard.service, 190s));  // during the third one
    BOOST_TEST(heard.count(heartbeat_event::kind::aborted) == 1u);
    BOOST_TEST(heard.service.failures().count == 2u);
    BOOST_TEST(heard.noticed.empty());
}

BOOST_AUTO_TEST_CASE(SUL_11_one_beat_at_a_time_and_those_that_come_due_meanwhile_are_left_out)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->otherwise(scripted_turn{}.wait(50s).text("a").wait(5s).text(done_block));
    heard_service heard{model};
    weft::testing::simulation sim{1};
    bool refused = false;
    sim.run(beat_during_beat(heard.service, refused));
    BOOST_TEST(refused);
    BOOST_TEST(heard.count(heartbeat_event::kind::started) == 1u);
}

BOOST_AUTO_TEST_CASE(a_beat_that_is_longer_than_its_time_leaves_beats_out)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->otherwise(scripted_turn{}.wait(40s).text("Hm."));  // two of them: 80 s for each beat
    heard_service heard{model};
    weft::testing::simulation sim{1};
    sim.run(run_for(heard.service, 290s));  // at 60 until 140, at 180 until 260, next at 300
    BOOST_TEST(heard.count(heartbeat_event::kind::started) == 2u);
    BOOST_TEST(heard.count(heartbeat_event::kind::completed) == 2u);
}

BOOST_AUTO_TEST_CASE(SUL_11_why_a_beat_was_blocked_is_told_to_the_next_one_only)
{
    const auto model = scripted({blocked_block, "a " + done_block, "b " + done_block});
    heard_service heard{model};
    weft::testing::simulation sim{1};
    sim.run(run_for(heard.service, 185s));
    BOOST_REQUIRE(model->requests().size() == 3u);
    const auto told = [&](std::size_t beat) {
        const weft::chat_request request = model->requests()[beat];
        for (const weft::message& one : request.messages)
            if (one.text().find("Blocker: no key") != std::string::npos) return true;
        return false;
    };
    BOOST_TEST(!told(0));
    BOOST_TEST(told(1));
    BOOST_TEST(!told(2));
}

BOOST_AUTO_TEST_CASE(a_stop_or_an_end_half_way_leaves_nothing_behind)
{
    auto kept = std::make_shared<std::vector<std::unique_ptr<heard_service>>>();
    const auto make = [kept] {
        auto model = std::make_shared<weft::testing::scripted_model>();
        model->otherwise(scripted_turn{}.wait(1s).text(done_block));
        kept->push_back(std::make_unique<heard_service>(model));
        return kept->back()->service.beat();
    };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(make) > 1u);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(make) > 1u);
    BOOST_CHECK_THROW((weft::heartbeat_service{heard_service::graph_of(scripted({})), [] {
                          weft::heartbeat_service_options options;
                          options.every = 0s;
                          return options;
                      }()}),
                      weft::error);
}

BOOST_AUTO_TEST_SUITE_END()
