#include <boost/test/unit_test.hpp>

#include "agent/turns.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/async/scope.hpp>

#include <set>
#include <stop_token>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(turn_agent_tools_test)

namespace {

using namespace std::chrono_literals;
using weft::turn_agent;
using weft::turn_agent_options;
using weft::testing::simulation;

scripted_turn rests(std::string id = {})
{
    scripted_turn turn;
    turn.call("rest", boost::json::object{{"x", 1}}, std::move(id));
    return turn;
}

std::string outcome_of(std::vector<scripted_turn> turns)
{
    const turn_model model = turns_of(std::move(turns));
    model->otherwise(scripted_turn{"Done."});
    return run_turns(turn_options({model})).outcome();
}

/** The texts of the results, by call. */
std::map<std::string, std::string> results_of(const turn_run& seen)
{
    std::map<std::string, std::string> results;
    for (const weft::conversation_entry& entry : seen.result.conversation)
        if (entry.message.role == weft::role::tool)
            BOOST_TEST(results.emplace(entry.message.tool_call_id, entry.message.text()).second);
    return results;
}

weft::task<void> later(std::chrono::nanoseconds span, std::function<void()> act)
{
    co_await weft::sleep_for(span);
    act();
}

weft::task<weft::turn_agent_result> run_beside(const turn_agent& agent, weft::run_request request,
                                               weft::task<void> aside)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(std::move(aside));
    weft::task<weft::turn_agent_result> running = agent.run(std::move(request));
    weft::turn_agent_result result = co_await std::move(running);
    co_await children.join();
    co_return result;
}

turn_run run_beside(const turn_agent& agent, weft::run_request request, std::chrono::nanoseconds after,
                    std::function<void()> act)
{
    simulation sim{1};
    turn_run seen;
    seen.result = sim.run(run_beside(agent, std::move(request), later(after, std::move(act))));
    return seen;
}

}  // namespace

BOOST_AUTO_TEST_CASE(IVY_11_the_same_call_that_fails_in_two_turns_in_a_row_fails_the_agent)
{
    BOOST_TEST(outcome_of({looks(-1), looks(-1)}) == "failed");
    BOOST_TEST(outcome_of({looks(-1), looks(-2)}) == "answered");
    BOOST_TEST(outcome_of({looks(-1), looks(1), looks(-1)}) == "answered");
    BOOST_TEST(outcome_of({looks(-1), looks(1).call("look", {{"x", -1}})}) == "failed");
}

BOOST_AUTO_TEST_CASE(IVY_12_the_order_of_members_does_not_matter)
{
    scripted_turn one, two;
    one.raw_call("look", R"({"x":-1,"y":2})");
    two.raw_call("look", R"({ "y": 2, "x": -1 })");
    const turn_run seen = run_turns(turn_options({turns_of({one, two})}));
    BOOST_TEST(seen.outcome() == "failed");
    BOOST_TEST(seen.trouble() == "repeated_failure");
    BOOST_TEST(seen.result.why == R"(the same call failed in two turns in a row: look {"x":-1,"y":2})");
}

BOOST_AUTO_TEST_CASE(IVY_11_calls_that_run_out_of_time_twice_fail_the_agent_too)
{
    turn_agent_options options = turn_options({turns_of({rests(), rests()})});
    options.calls.timeout = 1s;
    const turn_run seen = run_turns(std::move(options));
    BOOST_TEST(seen.outcome() == "failed");
    BOOST_TEST(seen.trouble() == "tool_timeout");
}

BOOST_AUTO_TEST_CASE(IVY_13_an_abort_stops_the_tool_at_work_and_ends_the_agent)
{
    turn_agent_options options = turn_options({turns_of({rests("a").call("look", {{"x", 1}}, "b")})});
    const auto mailbox = options.mailbox = std::make_shared<weft::agent_mailbox>();
    const turn_agent agent{std::move(options)};
    const turn_run seen =
        run_beside(agent, agent.request("Go.", "t"), 30s, [mailbox] { BOOST_TEST(mailbox->abort("t")); });
    BOOST_TEST(seen.outcome() == "aborted");
    BOOST_TEST(seen.result.why == "it was asked to stop");
    BOOST_TEST(seen.trouble() == "abort");
    BOOST_TEST((seen.result.run.status == weft::run_status::finished));
    BOOST_TEST((seen.result.spent.elapsed == 30s));
    const auto results = results_of(seen);
    BOOST_TEST(results.at("a") == "Cancelled before it was done.");
    BOOST_TEST(results.at("b") == "Cancelled before it was done.");
    BOOST_TEST(seen.path() == "prepare llmCall parse execute reconcile finish");
}

BOOST_AUTO_TEST_CASE(IVY_13_an_abort_stops_the_model_and_what_waits_for_it)
{
    scripted_turn slow;
    slow.wait(1h).text("Never.");
    turn_agent_options options = turn_options({turns_of({slow})});
    const auto mailbox = options.mailbox = std::make_shared<weft::agent_mailbox>();
    const turn_agent agent{std::move(options)};
    const turn_run seen =
        run_beside(agent, agent.request("Go.", "t"), 30s, [mailbox] { BOOST_TEST(mailbox->abort("t")); });
    BOOST_TEST(seen.outcome() == "aborted");
    BOOST_TEST(seen.path() == "prepare llmCall parse execute reconcile finish");

    scripted_turn failing;
    failing.fails(weft::errc::model_overloaded);
    turn_agent_options patient = turn_options({turns_of({failing})});
    patient.mailbox = mailbox;
    patient.cascade.pause.initial = 1h;
    patient.cascade.pause.delay_max = 1h;
    patient.cascade.pause.jitter = weft::jitter::none;
    const turn_agent waiting{std::move(patient)};
    const turn_run other =
        run_beside(waiting, waiting.request("Go.", "t"), 30s, [mailbox] { BOOST_TEST(mailbox->abort("t")); });
    BOOST_TEST(other.outcome() == "aborted");
    BOOST_TEST((other.result.spent.elapsed == 30s));
}

BOOST_AUTO_TEST_CASE(IVY_13_an_abort_before_the_run_ends_it_without_a_call)
{
    const turn_model model = turns_of({});
    turn_agent_options options = turn_options({model});
    options.mailbox = std::make_shared<weft::agent_mailbox>();
    BOOST_TEST(options.mailbox->abort("t"));
    const turn_run seen = run_turns(std::move(options));
    BOOST_TEST(seen.outcome() == "aborted");
    BOOST_TEST(seen.path() == "prepare finish");
    BOOST_TEST(model->requests().empty());
}

BOOST_AUTO_TEST_CASE(a_run_that_is_stopped_keeps_the_turn_and_its_results)
{
    const turn_agent agent{turn_options({turns_of({looks(1, "a").call("rest", {{"x", 1}}, "b")})})};
    std::stop_source stop;
    weft::run_request request = agent.request("Go.", "t");
    request.stop(stop.get_token());
    const turn_run seen = run_beside(agent, std::move(request), 30s, [stop]() mutable { stop.request_stop(); });
    BOOST_TEST((seen.result.run.status == weft::run_status::cancelled));
    BOOST_TEST(seen.outcome() == "aborted");
    const auto results = results_of(seen);
    BOOST_TEST(results.at("a") == "seen 1");
    BOOST_TEST(results.at("b") == "Cancelled before it was done.");
}

BOOST_AUTO_TEST_CASE(IVY_14_every_call_gets_one_result_whatever_becomes_of_it)
{
    scripted_turn turn = looks(1, "good");
    turn.call("look", {{"x", 2}}, "good").call("look", {{"x", -1}}, "bad").call("unknown", {}, "unknown");
    turn.raw_call("look", "{", "broken").call("look", {{"x", 7}}, "denied").call("look", {{"x", 8}}, "asked");
    turn.call("look", {{"x", 9}}, "skipped").call("look", {{"x", 3}}, "rewritten").call("rest", {{"x", 1}}, "slow");
    turn_agent_options options = turn_options({turns_of({turn, scripted_turn{"Done."}})});
    options.calls.timeout = 1s;
    options.calls.policy = [](const weft::tool_invocation& call, const weft::tool_entry&) {
        const std::string& id = call.call.id;
        if (id == "denied") return weft::tool_decision::deny("not that one");
        if (id == "asked") return weft::tool_decision::confirm("is that right?");
        if (id == "rewritten") return weft::tool_decision::rewrite({{"x", 4}});
        return weft::tool_decision::allow();
    };
    options.calls.before = [](weft::tool_invocation& call) -> std::optional<std::string> {
        if (call.call.id == "skipped") return "not now";
        return std::nullopt;
    };
    const turn_run seen = run_turns(std::move(options));
    BOOST_TEST(seen.outcome() == "answered");
    const auto results = results_of(seen);
    BOOST_TEST(results.size() == 9u);
    BOOST_TEST(results.at("good") == "seen 1");
    BOOST_TEST(results.at("bad").find("there is nothing") != std::string::npos);
    BOOST_TEST(results.at("unknown").starts_with("Unknown tool: "));
    BOOST_TEST(results.at("broken").find("not a JSON object") != std::string::npos);
    BOOST_TEST(results.at("denied") == "Denied: not that one");
    BOOST_TEST(results.at("asked") == "Denied: nobody confirmed it: is that right?");
    BOOST_TEST(results.at("skipped") == "Skipped: not now");
    BOOST_TEST(results.at("rewritten") == "seen 4");
    BOOST_TEST(results.at("slow").starts_with("The tool did not answer in time"));
    BOOST_TEST(seen.result.spent.tool_calls == 8u);  // all but the one that was skipped
    BOOST_TEST(seen.count(weft::agent_event::tool_start) == seen.count(weft::agent_event::tool_end));
}

BOOST_AUTO_TEST_CASE(IVY_14_a_call_is_confirmed_by_whoever_is_asked)
{
    turn_agent_options options = turn_options({turns_of({looks(1), scripted_turn{"Done."}})});
    options.calls.policy = [](const weft::tool_invocation&, const weft::tool_entry&) {
        return weft::tool_decision::confirm("sure?");
    };
    options.calls.confirm = [](weft::tool_invocation, std::string) -> weft::task<bool> { co_return true; };
    BOOST_TEST(results_of(run_turns(std::move(options))).begin()->second == "seen 1");
}

BOOST_AUTO_TEST_CASE(IVY_15_a_message_during_the_calls_skips_the_rest)
{
    scripted_turn three = looks(1, "a");
    three.call("look", {{"x", 2}}, "b").call("look", {{"x", 3}}, "c");
    const turn_model model = turns_of({three, scripted_turn{"Done."}});
    turn_agent_options options = turn_options({model});
    const auto mailbox = options.mailbox = std::make_shared<weft::agent_mailbox>();
    options.calls.after = [mailbox](const weft::tool_invocation& call, weft::tool_answer&) {
        if (call.call.id == "a") BOOST_TEST(mailbox->post("t", "Wait."));
    };
    const turn_run seen = run_turns(std::move(options));
    const auto results = results_of(seen);
    BOOST_TEST(results.at("a") == "seen 1");
    BOOST_TEST(results.at("b").starts_with("Not done: a new message came first."));
    BOOST_TEST(results.at("c") == results.at("b"));
    BOOST_TEST(last_said(model, 1) == "Wait.");
    BOOST_TEST(seen.outcome() == "answered");
    BOOST_TEST(seen.result.spent.tool_calls == 1u);
    const auto end = std::find(seen.events.begin(), seen.events.end(), "turn_end");
    BOOST_TEST(seen.texts[static_cast<std::size_t>(end - seen.events.begin())].find(R"("interrupted":true)") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(IVY_15_a_message_during_the_model_call_skips_nothing)
{
    turn_agent_options options = turn_options({turns_of({looks(1, "a").wait(1min), scripted_turn{"Done."}})});
    const auto mailbox = options.mailbox = std::make_shared<weft::agent_mailbox>();
    const turn_agent agent{std::move(options)};
    const turn_run seen = run_beside(agent, agent.request("Go.", "t"), 30s,
                                     [mailbox] { BOOST_TEST(mailbox->post("t", "By the way.")); });
    BOOST_TEST(seen.talk() == "user: Go.\nassistant: \ntool: seen 1\nuser: By the way.\nassistant: Done.\n");
}

BOOST_AUTO_TEST_CASE(results_are_cut_at_4000_characters)
{
    turn_agent_options options = turn_options({});
    options.tools.add("read", "Reads.", [] { return std::string(5'000, 'x'); });
    scripted_turn reads;
    reads.call("read", {}, "a");
    options.models.push_back(turns_of({reads, scripted_turn{"Done."}}));
    const auto results = results_of(run_turns(std::move(options)));
    BOOST_TEST(results.at("a") == std::string(4'000, 'x') + "\n[truncated — 5000 chars total]");
}

BOOST_AUTO_TEST_CASE(calls_that_a_model_writes_into_its_text_are_carried_out)
{
    const scripted_turn text{R"(I look. <tool_call>{"name":"look","arguments":{"x":5}}</tool_call>)"};
    const turn_run seen = run_turns(turn_options({turns_of({text, scripted_turn{"Done."}})}));
    BOOST_TEST(seen.talk() == "user: Go.\nassistant: I look.\ntool: seen 5\nassistant: Done.\n");
}

BOOST_AUTO_TEST_CASE(a_tool_writes_state_and_hands_over)
{
    constexpr weft::state_key<std::string> found{"found"};
    turn_agent_options options = turn_options({});
    options.keys = {found};
    options.tools.add("keep", "Keeps.",
                      [found](const looked_at&) { return weft::tool_result::text("kept").set(found, "it"); });
    options.tools.add_hand_over("writer", "when everything is there");
    scripted_turn keeps, hands;
    keeps.call("keep", {{"x", 1}});
    hands.text("Yours.").call("transfer_to_writer");
    options.models.push_back(turns_of({keeps, hands}));
    const turn_run seen = run_turns(std::move(options));
    BOOST_TEST(seen.result.run.state.get(found) == "it");
    BOOST_TEST(seen.outcome() == "answered");
    BOOST_TEST(seen.result.hand_over == "writer");
    BOOST_TEST(seen.result.answer == "Yours.");
}

BOOST_AUTO_TEST_CASE(the_budget_of_the_run_counts_calls_too)
{
    scripted_turn two = looks(1, "a");
    two.call("look", {{"x", 2}}, "b");
    const turn_agent agent{turn_options({turns_of({two})})};
    simulation sim{1};
    weft::budget most;
    most.tool_calls = 1;
    const turn_run seen = run_turns(sim, agent, agent.request("Go.").options(agent.limits().budget(most)));
    BOOST_TEST(seen.outcome() == "aborted");
    BOOST_TEST(seen.result.why.find("tool calls") != std::string::npos);
    BOOST_TEST(results_of(seen).size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
