#include <boost/test/unit_test.hpp>

#include "agent/agent_graphs.hpp"

#include <weft/agent/agent_session.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;
using weft::agent_stop;
using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(agent_session_test)

namespace {

/** A session whose signals are kept. */
struct heard_session {
    explicit heard_session(std::shared_ptr<weft::chat_model> model)
        : session{weft::agent_graph(options_with(std::move(model))), "thread-1", options()}
    {
    }
    weft::agent_session_options options()
    {
        weft::agent_session_options result;
        result.aborts = registry;
        result.on_complete = [this](const weft::completion_signal& signal) { signals.push_back(signal); };
        return result;
    }

    std::shared_ptr<weft::latest_run_registry> registry = std::make_shared<weft::latest_run_registry>();
    std::vector<weft::completion_signal> signals;
    weft::agent_session session;
};

std::shared_ptr<weft::testing::scripted_model> slow_model()
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(scripted_turn{}.wait(10s).text("Slow. " + done_block))
        .then(scripted_turn{}.wait(1s).text("Quick. " + done_block));
    return model;
}

weft::task<void> say_into(weft::agent_session& session, std::string text, weft::run_result& into)
{
    weft::run_result result = co_await session.say(std::move(text));
    into = std::move(result);
}

weft::task<void> talk_over(heard_session& heard, weft::run_result& first, weft::run_result& second)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope talks{context};
    talks.spawn(say_into(heard.session, "One?", first));
    co_await weft::sleep_for(1s);
    talks.spawn(say_into(heard.session, "Two?", second));
    co_await weft::sleep_for(500ms);
    BOOST_TEST(heard.registry->size() == 1u);  // the first one's end has not taken the second one's place away
    co_await talks.join();
}

weft::task<void> abort_after(heard_session& heard, weft::run_result& into)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope talks{context};
    talks.spawn(say_into(heard.session, "One?", into));
    co_await weft::sleep_for(1s);
    BOOST_TEST(heard.session.abort());
    co_await talks.join();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_session_carries_its_talk_on)
{
    const auto model = scripted({"Rain is water. " + done_block, "Yes. " + done_block});
    heard_session heard{model};
    weft::testing::simulation sim{1};
    (void)sim.run(heard.session.say("What is rain?"));
    const weft::run_result second = sim.run(heard.session.say("Is it wet?"));
    BOOST_TEST(second.state.get(weft::agent_keys::status).reply == "Yes.");
    BOOST_TEST(model->requests().at(1).messages.size() == 4u);  // system, user, assistant, user
    BOOST_TEST(heard.session.last()->get(weft::agent_keys::conversation).size() == 4u);
    BOOST_TEST(heard.registry->size() == 0u);
}

BOOST_AUTO_TEST_CASE(SUL_18_the_end_is_told_once)
{
    heard_session heard{scripted({done_block})};
    weft::testing::simulation sim{1};
    (void)sim.run(heard.session.say("Hi."));
    BOOST_REQUIRE(heard.signals.size() == 1u);
    BOOST_TEST((heard.signals[0].stop == agent_stop::done));
    BOOST_TEST(heard.signals[0].thread == "thread-1");
    BOOST_TEST(!heard.signals[0].waiting_for_user);
}

BOOST_AUTO_TEST_CASE(SUL_18_a_run_that_fails_is_told_once)
{
    heard_session heard{scripted({})};
    weft::testing::simulation sim{1};
    (void)sim.run(heard.session.say(""));  // no words came
    BOOST_REQUIRE(heard.signals.size() == 1u);
    BOOST_TEST((heard.signals[0].stop == agent_stop::failed));
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(scripted_turn{}.fails(weft::errc::model_not_found));
    heard_session unanswered{model};
    (void)sim.run(unanswered.session.say("Hi."));
    BOOST_REQUIRE(unanswered.signals.size() == 1u);
    BOOST_TEST((unanswered.signals[0].stop == agent_stop::agent_error));
    BOOST_TEST(unanswered.signals[0].waiting_for_user);
}

BOOST_AUTO_TEST_CASE(SUL_18_an_aborted_run_is_told_once_and_waits_for_the_user)
{
    heard_session heard{slow_model()};
    weft::testing::simulation sim{1};
    weft::run_result result;
    sim.run(abort_after(heard, result));
    BOOST_TEST((result.status == weft::run_status::cancelled));
    BOOST_REQUIRE(heard.signals.size() == 1u);
    BOOST_TEST((heard.signals[0].stop == agent_stop::aborted));
    BOOST_TEST(heard.signals[0].waiting_for_user);
    BOOST_TEST(!heard.session.abort());
    BOOST_TEST(sim.elapsed() < 2s);
}

BOOST_AUTO_TEST_CASE(SUL_18_a_run_that_is_destroyed_is_told_once)
{
    heard_session heard{slow_model()};
    weft::testing::simulation sim{1};
    {
        const weft::testing::simulation::root<weft::run_result> dropped{sim, heard.session.say("Hi.")};
    }
    BOOST_REQUIRE(heard.signals.size() == 1u);
    BOOST_TEST((heard.signals[0].stop == agent_stop::aborted));
}

BOOST_AUTO_TEST_CASE(SUL_19_a_superseded_run_ends_and_the_newer_one_can_still_be_aborted)
{
    heard_session heard{slow_model()};
    weft::testing::simulation sim{1};
    weft::run_result first;
    weft::run_result second;
    sim.run(talk_over(heard, first, second));
    BOOST_TEST((first.status == weft::run_status::cancelled));
    BOOST_TEST((second.status == weft::run_status::finished));
    BOOST_TEST(second.state.get(weft::agent_keys::status).reply == "Quick.");
    BOOST_TEST(second.state.get(weft::agent_keys::conversation).size() == 3u);  // both questions, one answer
    BOOST_REQUIRE(heard.signals.size() == 2u);
    BOOST_TEST((heard.signals[0].stop == agent_stop::aborted));
    BOOST_TEST((heard.signals[1].stop == agent_stop::done));
}

BOOST_AUTO_TEST_CASE(SUL_2_the_limit_of_visits_is_told_as_such)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->otherwise(scripted_turn{"Again. " + more_block});
    heard_session heard{model};
    weft::testing::simulation sim{1};
    (void)sim.run(heard.session.say("Go."));
    BOOST_REQUIRE(heard.signals.size() == 1u);
    BOOST_TEST((heard.signals[0].stop == agent_stop::max_loops));
}

BOOST_AUTO_TEST_SUITE_END()
