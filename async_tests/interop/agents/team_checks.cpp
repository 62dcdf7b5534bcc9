// Agents that call tools in a loop, alone, in a team, for a supervisor, and in a debate.

#include "agent_tools.hpp"
#include "checks.hpp"

#include <weft/agent/agent_team.hpp>
#include <weft/agent/llm_node.hpp>
#include <weft/agent/pattern/pattern_debate.hpp>
#include <weft/agent/supervisor.hpp>
#include <weft/engine/engine.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace interop::agents {

namespace patterns = weft::patterns;

namespace {

weft::react_options agent_of(std::string name, std::string system)
{
    weft::react_options options;
    options.name = std::move(name);
    options.settings.system = std::move(system);
    return options;
}

weft::run_result ask(const weft::graph& who, std::string question)
{
    return weft::run_blocking(
        who, weft::run_request{}.input(weft::react_messages, weft::message::user(std::move(question))));
}

constexpr weft::state_key<bool> paid{"paid"};
constexpr weft::state_key<std::string> day{"day"};

weft::graph support(const mock_server& server)
{
    weft::react_options triage = agent_of("triage", "You are triage.");
    triage.settings.hands_over = {{"billing", "The user asks about invoices."}};
    add_weather(triage.tools);
    weft::react_options billing = agent_of("billing", "You are billing.");
    add_invoice(billing.tools);
    return weft::make_agent_team(server.model(), {{.agent = std::move(triage)}, {.agent = std::move(billing)}});
}

weft::graph office(const mock_server& server)
{
    weft::react_options finder = agent_of("finder", "You are the finder.");
    add_weather(finder.tools);
    std::vector<weft::supervisor_worker> workers;
    workers.push_back({.when = "Finds things.", .agent = std::move(finder)});
    workers.push_back({.when = "Writes texts.", .agent = agent_of("writer", "You are the writer.")});
    return weft::make_supervisor(server.model(), agent_of("boss", "You are the boss."), std::move(workers));
}

patterns::participant participant_of(const mock_server& server, std::string name)
{
    weft::llm_node_options options;
    options.settings.system = "You are the " + name + ".";
    options.settings.prompt = "{task}";
    options.writes = {"answer"};
    return {std::move(name), weft::llm_node{server.model(), std::move(options)}};
}

void expect_team_requests(mock_server& server)
{
    const std::vector<seen_request> sent = server.news();
    expect("the requests of the team", sent.size(), 4U);
    expect("who is asked first", sent.at(0).system(), "You are triage.");
    expect("the tools of triage", sent.at(0).tool_names(), "transfer_to_billing weather");
    expect("who is asked then", sent.at(1).system(), "You are billing.");
    expect("the tools of billing", sent.at(1).tool_names(), "invoice");
    // A hand-over is the only call of its message that is carried out, and both have their results.
    const std::string handed_over = "system user assistant[call_go call_too] tool[call_go] tool[call_too]";
    expect_shape("what billing sees", sent.at(1), handed_over);
    const std::string skipped = sent.at(1).last_of("tool");
    expect("whether the other call was made", skipped.find("rain"), std::string::npos);
    const std::string answered = handed_over + " assistant[call_inv] tool[call_inv]";
    expect_shape("what billing has found", sent.at(2), answered);
    expect_shape("the next message of the user", sent.at(3), answered + " assistant user");
}

}  // namespace

void check_react_agent(mock_server& server)
{
    weft::react_options ledger = agent_of("ledger", "You are the ledger.");
    add_invoice(ledger.tools);
    const weft::react_agent agent{server.model(), std::move(ledger)};
    const weft::run_result result = ask(agent.graph(), "Is invoice 1017 paid?");
    expect_finished("the react agent", result, "think act think");
    expect("its answer", result.state.get(weft::react_answer), "It was paid on Monday.");

    const std::vector<seen_request> sent = server.news();
    expect("its requests", sent.size(), 2U);
    expect_shape("the second", sent.at(1), "system user assistant[call_1 call_2] tool[call_1] tool[call_2]");
    expect_part("the result of a call that failed", sent.at(1).last_of("tool"), "no invoice x");
    if (server.which() == dialect::gemini) return;
    expect("what it must be given", sent.at(1).schema_of("invoice").at("required"),
           boost::json::value(boost::json::array{"number"}));
}

void check_structured_answer(mock_server& server)
{
    weft::react_options ledger = agent_of("ledger", "You are the ledger.");
    add_invoice(ledger.tools);
    ledger.keys = {weft::react_messages, paid, day};
    ledger.writes = {"paid", "day"};
    const weft::react_agent agent{server.model(), std::move(ledger)};
    const weft::run_result result = ask(agent.graph(), "Is invoice 1017 paid?");
    expect_finished("the agent with a structured answer", result, "think act think answer");
    expect("whether it is paid", result.state.get(paid), true);
    expect("when it was paid", result.state.get(day), "Monday");

    const std::vector<seen_request> sent = server.news();
    expect("its requests for a structured answer", sent.size(), 3U);
    if (server.which() != dialect::openai) return;
    const boost::json::value& format = sent.at(2).body.at("response_format");
    expect("the format that is asked for", format.at("type").as_string(), "json_schema");
    expect("the type of one of its members",
           format.at_pointer("/json_schema/schema/properties/paid/type").as_string(), "boolean");
}

void check_team(mock_server& server)
{
    const weft::graph team = support(server);
    const weft::run_result first = ask(team, "Is invoice 1017 paid?");
    expect_finished("the team", first, "begin triage billing");
    expect("who has the conversation", first.state.get(weft::active_agent), "billing");
    expect("what billing says", first.state.get(weft::react_answer), "It was paid on Monday.");

    weft::run_request again;
    again.overwrite(weft::react_messages, weft::list<weft::message>{first.state.get(weft::react_messages)})
        .overwrite(weft::active_agent, std::string{first.state.get(weft::active_agent)})
        .input(weft::react_messages, weft::message::user("Thank you!"));
    const weft::run_result second = weft::run_blocking(team, std::move(again));
    expect_finished("the team in its second run", second, "begin billing");
    expect("what billing says then", second.state.get(weft::react_answer), "You are welcome.");
    expect_team_requests(server);
}

/** The server answers the workers only when both have asked. */
void check_supervisor(mock_server& server)
{
    const weft::graph all = office(server);
    const weft::run_result result = ask(all, "Do it.");
    expect_finished("the supervisor", result);
    expect("its answer", result.state.get(weft::react_answer), "All is done.");

    std::map<std::string, std::vector<seen_request>> by;
    for (seen_request& request : server.news()) by[request.system()].push_back(std::move(request));
    const std::vector<seen_request>& boss = by["You are the boss."];
    const std::vector<seen_request>& finder = by["You are the finder."];
    const std::vector<seen_request>& writer = by["You are the writer."];
    expect("the requests of the supervisor", boss.size(), 2U);
    expect("its tools", boss.at(0).tool_names(), "ask_finder ask_writer");
    expect_shape("what it gets", boss.at(1), "system user assistant[call_w call_f] tool[call_w] tool[call_f]");
    expect_part("the answer of the finder", boss.at(1).last_of("tool"), "Rain in Rome.");
    expect("the requests of the finder", finder.size(), 2U);
    expect_shape("the first of the finder", finder.at(0), "system user");
    expect_shape("its second", finder.at(1), "system user assistant[call_rome] tool[call_rome]");
    expect("the requests of the writer", writer.size(), 1U);
    expect_shape("what the writer sees", writer.at(0), "system user");
}

void check_debate(mock_server& server)
{
    const weft::graph panel =
        patterns::debate("panel", {participant_of(server, "engineer"), participant_of(server, "sceptic")});
    const std::string task = "When do we ship?";
    const weft::run_result result =
        weft::run_blocking(panel, weft::run_request{}.input(patterns::given_task, std::string{task}));
    expect_finished("the debate", result);
    expect("what it came to", result.state.get(patterns::answer), "Ship on Monday.");
    expect("whether they agree", result.state.get(patterns::debate_stands).has_agreed, true);
    expect("the rounds", result.state.get(patterns::debate_stands).rounds, 2);

    const std::vector<seen_request> sent = server.news();
    expect("the requests of the debate", sent.size(), 4U);
    for (const seen_request& request : sent) {
        expect_shape("what a participant sees", request, "system user");
        expect("whether it is told the task", request.last_of("user").starts_with(task), true);
    }
}

}  // namespace interop::agents
