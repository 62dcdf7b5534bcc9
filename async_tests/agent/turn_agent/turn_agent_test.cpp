#include <boost/test/unit_test.hpp>

#include "agent/turns.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/engine/engine.hpp>
#include <weft/engine/run/checkpoint_saver.hpp>
#include <weft/engine/scheduler/frontier.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/model/decorator/priced_model.hpp>
#include <weft/testing/simulation/suspension_points.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(turn_agent_test)

namespace {

using namespace std::chrono_literals;
using weft::tokens;
using weft::turn_agent;
using weft::turn_agent_options;
using weft::testing::simulation;

/** Turns that look at 0, 1, 2… */
std::vector<scripted_turn> looking(int count)
{
    std::vector<scripted_turn> turns;
    for (int i = 0; i < count; ++i) turns.push_back(looks(i));
    return turns;
}

/** A script, and then an answer if it is asked again. */
turn_model then_done(std::vector<scripted_turn> turns)
{
    turn_model model = turns_of(std::move(turns));
    model->otherwise(scripted_turn{"Done."});
    return model;
}

scripted_turn rests()
{
    scripted_turn turn;
    turn.call("rest", boost::json::object{{"x", 1}});
    return turn;
}

}  // namespace

BOOST_AUTO_TEST_CASE(IVY_1_an_answer_on_the_first_turn_visits_the_six_nodes_in_order)
{
    const turn_model model = turns_of({scripted_turn{"It rains."}});
    const turn_run seen = run_turns(turn_options({model}), "Does it rain?");
    BOOST_TEST(seen.path() == "prepare llmCall parse execute reconcile finish");
    BOOST_TEST(seen.outcome() == "answered");
    BOOST_TEST(seen.result.answer == "It rains.");
    BOOST_TEST(seen.talk() == "user: Does it rain?\nassistant: It rains.\n");
    BOOST_TEST(seen.story() == "agent_start turn_start message_end turn_end agent_end");
    BOOST_TEST(seen.count(weft::agent_event::message_delta) == 1);
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(IVY_1_a_turn_with_calls_goes_round)
{
    const turn_model model = turns_of({looks(1).text("Let me look."), scripted_turn{"Seen."}});
    const turn_run seen = run_turns(turn_options({model}));
    BOOST_TEST(seen.path() == "prepare llmCall parse execute reconcile prepare llmCall parse execute reconcile finish");
    BOOST_TEST(seen.talk() == "user: Go.\nassistant: Let me look.\ntool: seen 1\nassistant: Seen.\n");
    BOOST_TEST(seen.story() == "agent_start turn_start message_end tool_start tool_end turn_end "
                               "turn_start message_end turn_end agent_end");
    BOOST_TEST(seen.result.spent.turns == 2u);
    BOOST_TEST(seen.result.spent.tool_calls == 1u);
}

BOOST_AUTO_TEST_CASE(IVY_2_the_turns_are_used_up_without_another_call)
{
    const turn_model model = turns_of(looking(5));
    turn_agent_options options = turn_options({model});
    options.budget.turns_max = 2;
    const turn_run seen = run_turns(std::move(options));
    BOOST_TEST(model->requests().size() == 2u);
    BOOST_TEST(seen.outcome() == "aborted");
    BOOST_TEST(seen.result.why == "the agent's budget of turns is used up");
    BOOST_TEST(seen.trouble() == "max_turns_exceeded");
    BOOST_TEST(seen.count(weft::agent_event::agent_end) == 1);
    BOOST_TEST((seen.result.run.status == weft::run_status::finished));
}

BOOST_AUTO_TEST_CASE(IVY_3_tokens_that_are_reached_are_used_up)
{
    for (const std::int64_t used : {99, 100}) {
        const turn_model model = then_done({looks(1).used(tokens{used - 9}, tokens{9})});
        turn_agent_options options = turn_options({model});
        options.budget.tokens_max = tokens{100};
        const turn_run seen = run_turns(std::move(options));
        BOOST_TEST(seen.outcome() == (used < 100 ? "answered" : "aborted"));
        BOOST_TEST(model->requests().size() == (used < 100 ? 2u : 1u));
    }
}

BOOST_AUTO_TEST_CASE(IVY_4_a_cost_that_is_reached_is_used_up)
{
    const char* const table = R"({"models":[{"match":"*","input":1,"output":0}]})";
    for (const std::int64_t cost : {499, 500}) {
        weft::priced_model_options prices;
        prices.prices = std::make_shared<const weft::price_table>(weft::price_table::from(weft::parse_json(table)));
        prices.model = "m";
        const turn_model model = then_done({looks(1).used(tokens{cost}, tokens{1})});
        turn_agent_options options = turn_options({});
        options.models.push_back(std::make_shared<weft::priced_model>(model, prices));
        options.budget.cost_max = weft::usd_micros{500};
        const turn_run seen = run_turns(std::move(options));
        BOOST_TEST(seen.outcome() == (cost < 500 ? "answered" : "aborted"));
        BOOST_TEST(seen.result.spent.cost.count() == cost);
    }
}

BOOST_AUTO_TEST_CASE(IVY_5_time_is_used_up_when_it_is_exceeded)
{
    for (const auto more : {0ms, 1ms}) {
        scripted_turn second = looks(1);
        if (more > 0ms) second.wait(more);
        const turn_model model = then_done({rests(), second});
        turn_agent_options options = turn_options({model});
        options.budget.elapsed_max = 60s;
        const turn_run seen = run_turns(std::move(options));
        BOOST_TEST(seen.outcome() == (more == 0ms ? "answered" : "aborted"));
        BOOST_TEST((seen.result.spent.elapsed == 60s + more));
    }
}

namespace {

/** Takes a quarter of a minute for each step. */
class slow_saver final : public weft::checkpoint_saver {
public:
    [[nodiscard]] weft::task<void> save(weft::frontier, weft::checkpoint_kind, std::string) override
    {
        co_await weft::sleep_for(15s);
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(IVY_26_what_the_agent_waits_for_counts_as_elapsed_and_not_as_work)
{
    const turn_model model = then_done({looks(1)});
    turn_agent_options options = turn_options({model});
    options.budget.elapsed_max = 60s;
    const turn_agent agent{std::move(options)};
    weft::testing::simulation sim{1};
    weft::run_request request = agent.request("Go.", "t");
    weft::run_options limits = agent.limits();
    limits.save_by(weft::save_options{std::make_shared<slow_saver>()});
    request.options(std::move(limits));
    const turn_run seen = run_turns(sim, agent, std::move(request));
    BOOST_TEST(seen.outcome() == "aborted");
    BOOST_TEST(seen.result.why == "the agent's budget of time is used up");
    BOOST_TEST((seen.result.spent.elapsed > 60s));
    BOOST_TEST((seen.result.spent.working == 0ms));
}

BOOST_AUTO_TEST_CASE(IVY_6_tool_calls_that_are_reached_are_used_up)
{
    const turn_model model = turns_of(looking(5));
    turn_agent_options options = turn_options({model});
    options.budget.tool_calls_max = 3;
    const turn_run seen = run_turns(std::move(options));
    BOOST_TEST(model->requests().size() == 3u);
    BOOST_TEST(seen.result.why == "the agent's budget of tool calls is used up");
    BOOST_TEST(seen.trouble() == "budget_exhausted");
}

BOOST_AUTO_TEST_CASE(IVY_7_a_model_is_warned_before_the_turns_8_and_10_of_ten)
{
    const turn_model model = turns_of(looking(10));
    turn_agent_options options = turn_options({model});
    options.budget.turns_max = 10;
    const turn_run seen = run_turns(std::move(options));
    BOOST_REQUIRE(model->requests().size() == 10u);
    for (std::size_t i = 0; i < 10; ++i)
        BOOST_TEST(last_said(model, i).starts_with("[BUDGET WARNING") == (i == 7 || i == 9));
    BOOST_TEST(last_said(model, 7) ==
               "[BUDGET WARNING: 70% of turns budget consumed. Start wrapping up your current task.]");
}

BOOST_AUTO_TEST_CASE(IVY_8_messages_are_read_before_the_budget_is_looked_at)
{
    for (const std::uint32_t turns : {50u, 0u}) {
        const turn_model model = then_done({});
        turn_agent_options options = turn_options({model});
        options.mailbox = std::make_shared<weft::agent_mailbox>();
        options.budget.turns_max = turns;
        BOOST_TEST(options.mailbox->post("t", "First."));
        BOOST_TEST(options.mailbox->post("t", "Second."));
        BOOST_TEST(options.mailbox->post("another", "Not for this one."));
        const auto mailbox = options.mailbox;
        const turn_run seen = run_turns(std::move(options));
        BOOST_TEST(seen.outcome() == (turns == 0 ? "aborted" : "answered"));
        BOOST_TEST(seen.talk().starts_with("user: Go.\nuser: First.\nuser: Second.\n"));
        BOOST_TEST(seen.result.conversation[1].label == "steering");
        BOOST_TEST(mailbox->waiting("t") == 0u);
        BOOST_TEST(mailbox->waiting("another") == 1u);
        if (turns > 0) BOOST_TEST(last_said(model, 0) == "Second.");
    }
}

BOOST_AUTO_TEST_CASE(IVY_9_IVY_10_empty_replies_are_nudged_three_times)
{
    const scripted_turn blank{" \n"};
    const turn_model patient = turns_of({blank, blank, blank, scripted_turn{"At last."}});
    const turn_run answered = run_turns(turn_options({patient}));
    BOOST_TEST(answered.result.answer == "At last.");
    BOOST_TEST(last_said(patient, 1) == "Your last reply was empty. Answer, or call a tool.");
    BOOST_TEST(answered.talk().find("assistant: \n") == std::string::npos);

    const turn_run failed = run_turns(turn_options({turns_of({blank, blank, blank, blank})}));
    BOOST_TEST(failed.outcome() == "failed");
    BOOST_TEST(failed.result.why == "4 replies in a row were empty");
    BOOST_TEST(failed.trouble() == "empty_replies");
    scripted_turn cut{""};
    cut.stops(weft::stop_reason::length);
    BOOST_TEST(run_turns(turn_options({turns_of({cut, cut, cut, cut})})).trouble() == "max_tokens_stop");
    BOOST_TEST(failed.story().ends_with("turn_end error agent_end"));

    turn_agent_options strict = turn_options({turns_of({blank})});
    strict.reminders_max = 0;
    BOOST_TEST(run_turns(std::move(strict)).outcome() == "failed");
}

BOOST_AUTO_TEST_CASE(IVY_23_the_prompt_is_composed_of_sections)
{
    const turn_model model = then_done({looks(1)});
    turn_agent_options options = turn_options({model});
    options.sections = {{.id = "who", .text = "You are Ivy.", .is_sticky = true}};
    int asked = 0;
    options.turn_sections = [&asked](const weft::node_context& node) {
        ++asked;
        const std::uint32_t turns = node.get(weft::turn_keys::record).turns;
        return std::vector<weft::prompt_section>{{.id = "turn", .text = "Turn " + std::to_string(turns + 1) + "."},
                                                 {.id = "long", .text = std::string(4'000, 'x'), .priority = 0.5}};
    };
    options.prompt.budget = tokens{100};
    const turn_run seen = run_turns(std::move(options));
    BOOST_TEST(asked == 2);
    BOOST_TEST(model->requests()[0].messages.front().text() == "You are Ivy.\n\nTurn 1.");
    BOOST_TEST(model->requests()[1].messages.front().text() == "You are Ivy.\n\nTurn 2.");
    const auto warned = std::find(seen.events.begin(), seen.events.end(), "warning");
    BOOST_REQUIRE((warned != seen.events.end()));
    BOOST_TEST(seen.texts[static_cast<std::size_t>(warned - seen.events.begin())].find("'long'") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_node_that_fails_leads_to_the_end_too)
{
    turn_agent_options options = turn_options({then_done({})});
    options.turn_sections = [](const weft::node_context&) -> std::vector<weft::prompt_section> {
        throw weft::error{weft::errc::invalid_configuration, "sections", "no way"};
    };
    const turn_run seen = run_turns(std::move(options));
    BOOST_TEST(seen.path() == "prepare llmCall finish");
    BOOST_TEST(seen.outcome() == "failed");
    BOOST_TEST(seen.result.why.find("no way") != std::string::npos);
    BOOST_TEST(seen.trouble() == "context_error");
    BOOST_TEST(seen.story() == "agent_start turn_start error agent_end");
}

BOOST_AUTO_TEST_CASE(an_agent_needs_a_model)
{
    BOOST_CHECK_THROW(turn_agent{turn_agent_options{}}, weft::error);
    turn_agent_options null = turn_options({});
    null.models.push_back(nullptr);
    BOOST_CHECK_THROW(turn_agent{std::move(null)}, weft::error);
}

BOOST_AUTO_TEST_CASE(an_agent_is_a_node_of_another_graph)
{
    constexpr weft::state_key<std::string> topic{"topic"}, report{"report"};
    const turn_model model = turns_of({looks(1), scripted_turn{"It rains."}});
    const turn_agent agent{turn_options({model})};
    weft::subgraph research = agent.as_node();
    research.inputs = {{"task", "topic"}};
    research.outputs = {{"report", "answer"}};
    const weft::graph outer = weft::graph_builder{"outer"}
        .state(topic, report)
        .node("research", std::move(research))
        .edge(weft::start, "research")
        .build();
    simulation sim{1};
    const weft::engine engine{outer};
    const weft::run_result result = sim.run(engine.run(weft::run_request{}.input(topic, "Rain?")));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(result.state.get(report) == "It rains.");
    BOOST_TEST(model->requests()[0].messages.front().text() == "Rain?");
}

BOOST_AUTO_TEST_CASE(a_conversation_goes_on_and_budgets_begin_anew)
{
    const turn_model model = turns_of({looks(1), scripted_turn{"One."}, scripted_turn{"Two."}});
    turn_agent_options options = turn_options({model});
    options.budget.turns_max = 2;
    const turn_agent agent{std::move(options)};
    simulation sim{1};
    const turn_run first = run_turns(sim, agent, agent.request("First?"));
    weft::run_request again = agent.request("Second?");
    again.overwrite(weft::turn_keys::conversation, first.result.conversation);
    again.overwrite(weft::turn_keys::record, first.result.run.state.get(weft::turn_keys::record));
    const turn_run second = run_turns(sim, agent, std::move(again));
    BOOST_TEST(second.result.answer == "Two.");
    BOOST_TEST(second.result.spent.turns == 1u);
    BOOST_TEST(model->requests()[2].messages.size() == 5u);
}

BOOST_AUTO_TEST_CASE(requests_share_the_messages_of_those_before)
{
    const turn_model model = then_done(looking(3));
    (void)run_turns(turn_options({model}));
    const auto requests = model->requests();
    BOOST_REQUIRE(requests.size() == 4u);
    for (std::size_t i = 0; i + 1 < requests.size(); ++i)
        BOOST_TEST(requests[i + 1].messages.extends(requests[i].messages));
}

BOOST_AUTO_TEST_CASE(a_long_conversation_is_compacted_before_a_turn)
{
    turn_agent_options options = turn_options({});
    options.tools.add("read", "Reads.", [](const looked_at& at) { return std::string(2'000, "abcd"[at.x]); });
    std::vector<scripted_turn> turns;
    for (int i = 0; i < 4; ++i) turns.emplace_back().call("read", boost::json::object{{"x", i}});
    const turn_model model = then_done(std::move(turns));
    options.models.push_back(model);
    weft::compaction_rules& rules = options.compaction.emplace();
    rules.context_max = tokens{1'000};
    rules.replies_kept = 1;
    rules.results_kept = tokens{10};
    const turn_run seen = run_turns(std::move(options));
    BOOST_TEST(seen.outcome() == "answered");
    const auto is_mark = [](const weft::conversation_entry& entry) { return entry.is_mark(); };
    const weft::conversation& said = seen.result.conversation;
    BOOST_TEST((std::find_if(said.begin(), said.end(), is_mark) != said.end()));
    const weft::chat_request last = model->requests().back();
    for (const weft::message& said : last.messages) BOOST_TEST(!said.text().starts_with(std::string(2'000, 'a')));
    BOOST_TEST(last_said(model, 4) == std::string(2'000, 'd'));
    BOOST_TEST(last.messages.front().text() == "Go.");
}

BOOST_AUTO_TEST_CASE(a_reply_that_was_cut_is_warned_of)
{
    scripted_turn cut{"It rai"};
    cut.stops(weft::stop_reason::length);
    const turn_run seen = run_turns(turn_options({turns_of({cut})}));
    BOOST_TEST(seen.result.answer == "It rai");
    BOOST_TEST(seen.count(weft::agent_event::warning) == 1);
}

BOOST_AUTO_TEST_CASE(an_agent_is_torn_down_and_stopped_anywhere)
{
    const auto run = [] {
        turn_agent_options options = turn_options({then_done({rests(), looks(1).wait(1s)})});
        options.mailbox = std::make_shared<weft::agent_mailbox>();
        const turn_agent agent{std::move(options)};
        return agent.run(agent.request("Go."));
    };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(run) > 2u);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(run) >= 2u);
}

BOOST_AUTO_TEST_SUITE_END()
