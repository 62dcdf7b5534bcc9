#include "agent_load.hpp"
#include "harness/cpu_clock.hpp"

#include <weft/agent/agent_graph.hpp>
#include <weft/agent/event_loop.hpp>
#include <weft/agent/react_agent.hpp>
#include <weft/agent/turn_agent.hpp>
#include <weft/engine/engine.hpp>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace weft_bench {

namespace {

constexpr weft::tokens plenty{1'000'000'000};
const std::string who = "You help people with the weather.";

/** An agent that is run: requests that begin with a conversation, and whether a run came to its end. */
struct agent_at_work {
    weft::graph what;
    std::function<weft::run_request()> request;
    std::function<bool(const weft::run_result&)> has_answered;
};

weft::conversation talk_before(std::size_t messages)
{
    weft::conversation talk;
    for (std::size_t i = 0; i + 1 < messages; ++i) static_cast<void>(talk.add(agent_message(i), weft::provenance{}));
    return talk;
}

weft::task<double> time_turns(weft::engine engine, const agent_at_work& agent)
{
    double spent = 0;
    for (int i = 0; i < agent_runs; ++i) {
        weft::run_request request = agent.request();
        const double began = thread_cpu_ns();
        weft::task<weft::run_result> running = engine.run(std::move(request));
        const weft::run_result result = co_await std::move(running);
        spent += thread_cpu_ns() - began;
        require(agent.has_answered(result), "an agent did not answer");
    }
    co_return spent / (agent_runs * agent_turns) / 1'000;
}

agent_at_work turn_agent_after(std::size_t messages)
{
    weft::turn_agent_options options;
    options.models = {instant_model()};
    options.tools = look_tools();
    options.budget.tokens_max = plenty;
    options.view.budget = plenty;
    const weft::turn_agent agent{std::move(options)};
    const auto request = [agent, before = talk_before(messages)] {
        weft::run_request made = agent.request(std::string{agent_question});
        made.overwrite(weft::turn_keys::conversation, before);
        return made;
    };
    const auto has_answered = [](const weft::run_result& result) {
        const weft::turn_record& record = result.state.get(weft::turn_keys::record);
        return record.outcome == weft::agent_outcome::answered && record.turns == agent_turns;
    };
    return {agent.graph(), request, has_answered};
}

agent_at_work react_agent_after(std::size_t messages)
{
    weft::react_options options;
    options.settings.system = who;
    options.settings.turns_max = agent_turns;
    options.tools = look_tools();
    const weft::react_agent agent{instant_model(), std::move(options)};
    weft::list<weft::message> before;
    for (std::size_t i = 0; i + 1 < messages; ++i) before.push_back(agent_message(i));
    before.push_back(weft::message::user(std::string{agent_question}));
    const auto request = [before] { return weft::run_request{}.overwrite(weft::react_messages, before); };
    const auto has_answered = [](const weft::run_result& result) {
        return result.ok() && result.state.get(weft::react_answer) == agent_answer;
    };
    return {agent.graph(), request, has_answered};
}

constexpr weft::state_key<weft::conversation, weft::converse> talk_key{"talk"};

agent_at_work event_loop_after(std::size_t messages)
{
    weft::event_loop_options work;
    work.settings.system = who;
    work.settings.prompt = agent_question;
    work.settings.conversation = talk_key.name();
    work.settings.limits.context_max = plenty;
    work.tools = std::make_shared<const weft::tool_set>(look_tools());
    weft::graph_builder builder{"loop"};
    builder.state(talk_key);
    weft::add_event_loop(builder, "work", instant_model(), std::move(work));
    builder.edge(weft::start, "work");
    const auto request = [before = talk_before(messages)] {
        return weft::run_request{}.overwrite(talk_key, before);
    };
    const auto has_answered = [messages](const weft::run_result& result) {
        return result.ok() &&
               result.state.get(talk_key).size() >= messages + 2 * agent_turns - 1;
    };
    return {builder.build(), request, has_answered};
}

agent_at_work agent_graph_after(std::size_t messages)
{
    weft::agent_options options;
    const std::string done = "<AGENT_DONE><KEY_RESULT>" + std::string{agent_answer} + "</KEY_RESULT></AGENT_DONE>";
    options.model = instant_model(done);
    options.tools = std::make_shared<const weft::tool_set>(look_tools());
    options.prompt.base = who;
    options.budget = plenty;
    options.context_max = plenty;
    options.summaries.messages_max = std::numeric_limits<std::uint32_t>::max();
    const auto request = [before = talk_before(messages)] {
        return weft::run_request{}
            .overwrite(weft::agent_keys::conversation, before)
            .input(weft::agent_keys::input, std::string{agent_question})
            .options(weft::agent_run_options());
    };
    const auto has_answered = [](const weft::run_result& result) {
        const weft::agent_status& status = result.state.get(weft::agent_keys::status);
        return status.stop == weft::agent_stop::done && status.called_tools;
    };
    return {weft::agent_graph(std::move(options)), request, has_answered};
}

/** A row about turns after a conversation of so many messages. */
benchmark turns_of(std::string name, agent_at_work (*make)(std::size_t), std::size_t messages, std::string system,
                   std::string what)
{
    const std::string goal = messages == 100 ? "<= 20" : "";
    const auto weft = [make, messages] {
        const agent_at_work agent = make(messages);
        return weft::run_blocking(time_turns(weft::engine{agent.what}, agent));
    };
    const auto floor = [messages, system = std::move(system)] { return turns_by_hand(messages, system); };
    return agent_row(name + "_" + std::to_string(messages), std::move(what), goal, weft, floor);
}

}  // namespace

benchmarks agent_benchmarks()
{
    return {turns_of("agent_turn", &turn_agent_after, 2, "",
                     "a turn of an agent that calls a tool, without the model's time"),
            turns_of("agent_turn", &turn_agent_after, 100, "", "the same after 100 messages"),
            turns_of("agent_turn", &turn_agent_after, 1'000, "", "the same after 1,000 messages"),
            turns_of("react_turn", &react_agent_after, 2, who, "a turn of a react_agent that calls a tool"),
            turns_of("react_turn", &react_agent_after, 100, who, "the same after 100 messages"),
            turns_of("react_turn", &react_agent_after, 1'000, who, "the same after 1,000 messages"),
            turns_of("loop_turn", &event_loop_after, 2, who, "a turn of an event_loop that calls a tool"),
            turns_of("loop_turn", &event_loop_after, 100, who, "the same after 100 messages"),
            turns_of("loop_turn", &event_loop_after, 1'000, who, "the same after 1,000 messages"),
            turns_of("graph_turn", &agent_graph_after, 2, who, "a turn of an agent_graph that calls a tool"),
            turns_of("graph_turn", &agent_graph_after, 100, who, "the same after 100 messages"),
            turns_of("graph_turn", &agent_graph_after, 1'000, who, "the same after 1,000 messages")};
}

}  // namespace weft_bench
