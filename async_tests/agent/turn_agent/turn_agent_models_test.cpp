#include <boost/test/unit_test.hpp>

#include "agent/turns.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/base/random.hpp>

#include <boost/json/parse.hpp>

#include <map>
#include <set>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(turn_agent_models_test)

namespace {

using namespace std::chrono_literals;
using weft::turn_agent_options;
namespace agent_event = weft::agent_event;

scripted_turn overloaded()
{
    scripted_turn turn;
    turn.fails(weft::errc::model_overloaded);
    return turn;
}

scripted_turn unauthorized()
{
    scripted_turn turn;
    turn.fails(weft::errc::model_unauthorized);
    return turn;
}

}  // namespace

BOOST_AUTO_TEST_CASE(IVY_17_the_third_call_goes_to_the_next_model_and_the_agent_stays_with_it)
{
    const turn_model capable = turns_of({overloaded(), overloaded()});
    const turn_model balanced = turns_of({looks(1), scripted_turn{"Done."}});
    const turn_run seen = run_turns(turn_options({capable, balanced}));
    BOOST_TEST(seen.outcome() == "answered");
    BOOST_TEST(capable->requests().size() == 2u);
    BOOST_TEST(balanced->requests().size() == 2u);
    BOOST_TEST(seen.result.spent.turns == 2u);
    BOOST_TEST(seen.count(agent_event::warning) == 2);
    BOOST_TEST(seen.result.run.state.get(weft::turn_keys::record).tier == 1u);
}

BOOST_AUTO_TEST_CASE(IVY_17_after_three_retries_the_agent_has_failed)
{
    const turn_model model = turns_of({overloaded(), overloaded(), overloaded(), overloaded(), overloaded()});
    const turn_run seen = run_turns(turn_options({model}));
    BOOST_TEST(seen.outcome() == "failed");
    BOOST_TEST(model->requests().size() == 4u);
    BOOST_TEST(seen.result.why.starts_with("4 calls of models failed in a row, the last one: "));
    BOOST_TEST(seen.trouble() == "llm_transport_error");
    BOOST_TEST(seen.story() == "agent_start turn_start warning warning warning warning turn_end error agent_end");
    BOOST_TEST(seen.path() == "prepare llmCall parse execute reconcile finish");
}

BOOST_AUTO_TEST_CASE(IVY_17_what_no_retry_mends_fails_at_once)
{
    const turn_model model = turns_of({unauthorized()});
    const turn_run seen = run_turns(turn_options({model}));
    BOOST_TEST(seen.outcome() == "failed");
    BOOST_TEST(seen.trouble() == "llm_protocol_error");
    BOOST_TEST(seen.told(agent_event::error).at("trouble") == "llm_protocol_error");
    BOOST_TEST(seen.told(agent_event::agent_end).at("trouble") == "llm_protocol_error");
    BOOST_TEST(model->requests().size() == 1u);
}

BOOST_AUTO_TEST_CASE(IVY_17_an_error_can_be_passed_over)
{
    turn_agent_options options = turn_options({turns_of({unauthorized(), scripted_turn{"Done."}})});
    options.cascade.on_error = [](const weft::model_trouble& what, const weft::turn_record& agent) {
        BOOST_TEST((what.code == weft::errc::model_unauthorized));
        BOOST_TEST(agent.turns == 1u);
        return weft::model_error_action::carry_on;
    };
    const turn_run seen = run_turns(std::move(options));
    BOOST_TEST(seen.outcome() == "answered");
    BOOST_TEST(seen.talk() ==
               "user: Go.\nuser: Your last reply was empty. Answer, or call a tool.\nassistant: Done.\n");
}

BOOST_AUTO_TEST_CASE(what_a_failed_call_has_said_is_void_and_paid)
{
    scripted_turn half{"Half"};
    half.used(weft::tokens{10}, weft::tokens{5}).fails(weft::errc::connection_lost);
    scripted_turn whole{"Whole."};
    whole.used(weft::tokens{10}, weft::tokens{7});
    const turn_run seen = run_turns(turn_options({turns_of({half, whole})}));
    BOOST_TEST(seen.result.answer == "Whole.");
    BOOST_TEST(seen.story() == "agent_start turn_start retract warning message_end turn_end agent_end");
    BOOST_TEST(seen.result.spent.used.count() == 32);
    BOOST_TEST(seen.count(agent_event::usage) == 2);  // of the failed call too
}

BOOST_AUTO_TEST_CASE(the_budget_of_the_run_ends_the_agent)
{
    const weft::turn_agent agent{turn_options({turns_of({looks(1), scripted_turn{"Never."}})})};
    weft::testing::simulation sim{1};
    weft::budget most;
    most.model_calls = 1;
    const turn_run seen = run_turns(sim, agent, agent.request("Go.").options(agent.limits().budget(most)));
    BOOST_TEST(seen.outcome() == "aborted");
    BOOST_TEST(seen.result.why.find("model calls") != std::string::npos);
    BOOST_TEST(seen.trouble() == "budget_exhausted");

    weft::budget turns;
    turns.turns = 1;
    const weft::turn_agent other{turn_options({turns_of({looks(1), scripted_turn{"Never."}})})};
    const turn_run ended = run_turns(sim, other, other.request("Go.").options(other.limits().budget(turns)));
    BOOST_TEST(ended.outcome() == "aborted");
    BOOST_TEST(ended.trouble() == "max_turns_exceeded");
    BOOST_TEST(ended.result.spent.turns == 1u);
    BOOST_TEST(ended.story().ends_with("tool_end turn_end agent_end"));
}

// Properties over random scripts.

namespace {

scripted_turn random_turn(weft::random_source& random)
{
    switch (random.below(8)) {
    case 0: return scripted_turn{"Done."};
    case 1: return scripted_turn{" "};
    case 2: return overloaded();
    case 3: return unauthorized();
    case 4: return scripted_turn{R"(<tool_call>{"name":"look","arguments":{"x":1}}</tool_call>)"};
    default: break;
    }
    scripted_turn turn;
    if (random.below(2) == 0) turn.text("Let me see.");
    for (std::uint64_t calls = 1 + random.below(4); calls > 0; --calls) {
        const int x = static_cast<int>(random.below(4)) - 1;
        const std::string id = random.below(6) == 0 ? "same" : "";
        if (random.below(5) == 0) turn.call("rest", boost::json::object{{"x", x}}, id);
        else if (random.below(8) == 0) turn.call("unknown", {}, id);
        else turn.call("look", boost::json::object{{"x", x}}, id);
    }
    return turn;
}

turn_run random_run(std::uint64_t seed)
{
    weft::random_source random{seed};
    std::vector<turn_model> models;
    for (std::uint64_t count = 1 + random.below(2); count > 0; --count) {
        const turn_model model = turns_of({});
        for (std::uint64_t turns = random.below(8); turns > 0; --turns) model->then(random_turn(random));
        model->otherwise(random.below(2) == 0 ? scripted_turn{"At last."} : looks(1));
        models.push_back(model);
    }
    turn_agent_options options = turn_options(std::move(models));
    options.budget.turns_max = 1 + static_cast<std::uint32_t>(random.below(12));
    options.budget.tool_calls_max = 1 + static_cast<std::uint32_t>(random.below(30));
    const auto mailbox = options.mailbox = std::make_shared<weft::agent_mailbox>();
    options.calls.after = [&random, mailbox](const weft::tool_invocation&, weft::tool_answer&) {
        if (random.below(6) == 0) (void)mailbox->post("t", "Listen.");
        if (random.below(20) == 0) mailbox->abort("t");
    };
    weft::testing::simulation sim{seed};
    const weft::turn_agent agent{std::move(options)};
    return run_turns(sim, agent, agent.request("Go.", "t"));
}

/** Where the events break the grammar; empty if they keep it. */
std::string grammar_fault(const turn_run& seen)
{
    std::string state = "before";
    int open_tools = 0;
    for (std::size_t i = 0; i < seen.events.size(); ++i) {
        const std::string& kind = seen.events[i];
        const std::string fault = "event " + std::to_string(i) + ", " + kind + ", " + state;
        if (kind == agent_event::warning || kind == agent_event::usage) continue;
        if (kind == agent_event::agent_start) { if (state != "before") return fault; state = "between"; }
        else if (kind == agent_event::turn_start) { if (state != "between") return fault; state = "asking"; }
        else if (kind == agent_event::message_delta || kind == agent_event::retract) {
            if (state != "asking") return fault;
        }
        else if (kind == agent_event::message_end) { if (state != "asking") return fault; state = "said"; }
        else if (kind == agent_event::tool_start) { if (state != "said") return fault; ++open_tools; }
        else if (kind == agent_event::tool_end) { if (state != "said" || --open_tools < 0) return fault; }
        else if (kind == agent_event::turn_end) {
            if ((state != "asking" && state != "said") || open_tools != 0) return fault;
            state = "between";
        }
        else if (kind == agent_event::error) { if (state != "between") return fault; state = "failed"; }
        else if (kind == agent_event::agent_end) {
            if ((state == "failed") != (seen.outcome() == "failed")) return fault;
            if (state != "between" && state != "failed") return fault;
            state = "after";
        }
        else return fault;
    }
    return state == "after" ? "" : "ends " + state;
}

/** Which call has not exactly one result behind it; empty if none. */
std::string call_fault(const weft::conversation& talk)
{
    std::map<std::string, int> open;
    for (const weft::conversation_entry& entry : talk) {
        const weft::message& said = entry.message;
        if (said.role != weft::role::tool) {
            for (const auto& [id, count] : open)
                if (count != 0) return id;
            open.clear();
        }
        for (const weft::tool_call& call : said.tool_calls)
            if (!open.emplace(call.id, 1).second) return "twice " + call.id;
        if (said.role == weft::role::tool && --open[said.tool_call_id] != 0) return "result " + said.tool_call_id;
    }
    for (const auto& [id, count] : open)
        if (count != 0) return id;
    return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(IVY_14_IVY_16_events_keep_their_grammar_and_calls_their_results_over_random_scripts)
{
    std::map<std::string, int> outcomes;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const turn_run seen = random_run(seed);
        const std::string where = "seed " + std::to_string(seed) + ": ";
        BOOST_REQUIRE_MESSAGE(seen.result.run.status == weft::run_status::finished, where << seen.result.run.message());
        BOOST_REQUIRE_MESSAGE(grammar_fault(seen).empty(), where << grammar_fault(seen) << " in " << seen.story());
        BOOST_REQUIRE_MESSAGE(seen.count(agent_event::agent_end) == 1, where << seen.story());
        BOOST_REQUIRE_MESSAGE(seen.count(agent_event::turn_start) == seen.count(agent_event::turn_end),
                              where << seen.story());
        const std::string fault = call_fault(seen.result.conversation);
        BOOST_REQUIRE_MESSAGE(fault.empty(), where << fault);
        ++outcomes[seen.outcome()];
    }
    for (const char* const outcome : {"answered", "failed", "aborted"}) BOOST_TEST(outcomes[outcome] > 20);
}

BOOST_AUTO_TEST_CASE(the_events_are_JSON)
{
    const turn_run seen = run_turns(turn_options({turns_of({looks(1), scripted_turn{"Done."}})}));
    for (std::size_t i = 0; i < seen.events.size(); ++i)
        if (seen.events[i] != "message_delta") BOOST_TEST(boost::json::parse(seen.texts[i]).is_object());
    const boost::json::value turn = seen.told(agent_event::turn_end);
    BOOST_TEST(turn.at("turn") == 1);
    BOOST_TEST(turn.at("stop") == "tool_calls");
    BOOST_TEST(turn.at("usage").is_object());
    BOOST_TEST(turn.at("message").at("tool_calls").as_array().size() == 1u);
    const boost::json::object last = boost::json::parse(seen.texts.back()).as_object();
    BOOST_TEST(last.at("outcome") == "answered");
    BOOST_TEST(last.at("turns") == 2);
}

BOOST_AUTO_TEST_SUITE_END()
