#include <boost/test/unit_test.hpp>

#include "engine/durable/durable_processes.hpp"
#include "playbooks.hpp"

#include <weft/agent/chat_agent/heartbeat_graph.hpp>
#include <weft/agent/host/workflow_agent.hpp>
#include <weft/agent/playbook/playbook_run.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/json.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/testing/faulty_store.hpp>

#include <boost/json/serialize.hpp>

#include <functional>
#include <map>
#include <optional>

using namespace weft_tests;
using namespace std::chrono_literals;
using weft::run_status;
using weft::testing::simulation;

BOOST_AUTO_TEST_SUITE(agent_durable_test)

namespace {

/** What a model says next, from what it is asked: so it says the same to the same, in whichever process. */
using script = std::function<weft::message(const weft::chat_request&)>;

/** A provider: it takes money for each reply, but for a key that it knows it gives the reply that was paid for. */
class provider final : public weft::chat_model {
public:
    explicit provider(script says) : says_{std::move(says)} {}

    [[nodiscard]] std::string_view label() const noexcept override { return "a provider"; }
    [[nodiscard]] std::size_t paid() const noexcept { return replies_.size(); }

    int calls = 0;
    std::vector<std::string> complaints;

private:
    struct sold {
        std::string request;
        weft::message reply;
    };

    weft::task<weft::chat_reply> do_reply(weft::chat_request request, weft::chat_sink& sink) override
    {
        ++calls;
        if (request.call_id.empty()) complaints.push_back("a call without a key");
        std::string asked = boost::json::serialize(weft::to_json(request.messages));
        co_await weft::sleep_for(100ms);
        const auto [at, is_new] = replies_.try_emplace(request.call_id);
        if (is_new) {
            at->second = sold{asked, says_(request)};
        } else if (at->second.request != asked) {
            complaints.push_back("another request with the same key");
        }
        co_await weft::sleep_for(100ms);
        weft::chat_reply reply;
        reply.message = replies_.at(request.call_id).reply;
        reply.usage.input = weft::tokens{10};
        reply.stop = reply.message.tool_calls.empty() ? weft::stop_reason::stop : weft::stop_reason::tool_calls;
        sink.on_text(reply.message.text());
        co_return reply;
    }

    script says_;
    std::map<std::string, sold> replies_;
};

/** What outlives all processes. */
struct world {
    explicit world(script says) : model{std::make_shared<provider>(std::move(says))} {}

    simulation sim{1};
    weft::memory_store store{weft::hash_key{}};
    /** What it takes to write, so that processes die between any two writes. */
    weft::testing::faulty_store slow_store{store, weft::testing::store_faults{}.delay_up_to(20ms), 1};
    std::shared_ptr<provider> model;
    std::shared_ptr<int> tool_calls = std::make_shared<int>(0);

    [[nodiscard]] weft::agent_options agent() const
    {
        weft::agent_options options = options_with(model);
        weft::tool_set tools;
        const auto weather = [count = tool_calls] {
            ++*count;
            return std::string{"rain"};
        };
        tools.add("weather", "The weather.", weather);
        options.tools = std::make_shared<const weft::tool_set>(std::move(tools));
        return options;
    }
};

/** A graph and how a run of it begins. */
struct subject {
    std::function<std::shared_ptr<const weft::durable_graphs>(const world&)> graphs;
    std::function<weft::durable_request()> request;
    std::function<std::string(const weft::state&)> outcome;
};

weft::durable_options keeping_all()
{
    weft::durable_options options;
    options.keep_last = 0;
    return options;
}

struct ending {
    std::string outcome;
    std::size_t paid = 0;
    int tool_calls = 0;
    std::size_t moments = 0;
};

ending undisturbed(const subject& what, const script& says)
{
    world w{says};
    const weft::run_result whole =
        w.sim.run(first_process(w.slow_store, what.graphs(w), keeping_all(), what.request()));
    BOOST_REQUIRE_MESSAGE(whole.status == run_status::finished, whole.message());
    BOOST_REQUIRE(w.model->complaints.empty());
    return {what.outcome(whole.state), w.model->paid(), *w.tool_calls, w.sim.steps()};
}

/** Kills the process at every moment, and lets another one go on. */
void check_survival(const subject& what, const script& says)
{
    const ending expected = undisturbed(what, says);
    BOOST_TEST_MESSAGE(expected.moments << " moments, " << expected.paid << " replies: " << expected.outcome);
    std::size_t killed = 0;
    for (std::size_t at = 0; at < expected.moments; ++at) {
        const std::string where = "killed after " + std::to_string(at) + " steps";
        world w{says};
        const auto graphs = what.graphs(w);
        auto result = run_for(w.sim, first_process(w.slow_store, graphs, keeping_all(), what.request()), at);
        killed += result ? 0 : 1;
        const int calls_before = w.model->calls;
        if (!result) result.emplace(w.sim.run(later_process(w.store, graphs, keeping_all(), what.request())));
        BOOST_REQUIRE_MESSAGE(result->status == run_status::finished, where << ": " << result->message());
        BOOST_REQUIRE_MESSAGE(what.outcome(result->state) == expected.outcome,
                              where << ": " << what.outcome(result->state));
        BOOST_REQUIRE_MESSAGE(w.model->paid() == expected.paid, where << ": paid for " << w.model->paid());
        const std::string complaint = w.model->complaints.empty() ? "" : w.model->complaints.front();
        BOOST_REQUIRE_MESSAGE(complaint.empty(), where << ": " << complaint);
        // Only a call that was under way when the process died is made again.
        BOOST_REQUIRE_MESSAGE(w.model->calls <= static_cast<int>(expected.paid) + 1,
                              where << ": " << calls_before << " and then " << w.model->calls << " calls");
        BOOST_REQUIRE_MESSAGE(*w.tool_calls <= expected.tool_calls + 1, where << ": " << *w.tool_calls);
    }
    BOOST_TEST(killed > 20u);
}

std::size_t count_of_role(const weft::chat_request& asked, weft::role speaker)
{
    std::size_t count = 0;
    for (const weft::message& one : asked.messages) count += one.role == speaker ? 1 : 0;
    return count;
}

weft::message calling_weather(std::size_t number)
{
    weft::message said = weft::message::assistant("");
    weft::tool_call call;
    call.id = "w" + std::to_string(number);
    call.name = "weather";
    call.arguments = "{}";
    said.tool_calls.push_back(std::move(call));
    return said;
}

/** Looks twice at the weather, with a reminder and a visit in between. */
weft::message umbrella_script(const weft::chat_request& asked)
{
    switch (count_of_role(asked, weft::role::assistant)) {
    case 0: return calling_weather(1);
    case 1: return weft::message::assistant("It rains. " + more_block);
    case 2: return weft::message::assistant("Hm.");
    case 3: return calling_weather(2);
    default: return weft::message::assistant("Take an umbrella. " + done_block);
    }
}

std::shared_ptr<const weft::durable_graphs> one_graph(weft::graph what, weft::run_options options)
{
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(std::move(what), std::move(options));
    return graphs;
}

std::string talk_of(const weft::state& state)
{
    const weft::conversation& talk = state.get(weft::agent_keys::conversation);
    std::string text;
    for (weft::lane_cursor at{talk, ""}; !at.is_done(); at.next()) {
        const weft::message& said = at.entry().message;
        text = std::string{name_of(said.role)} + ":" + said.text() + "|" + text;
    }
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(X_3_an_agent_that_is_killed_at_any_point_ends_the_same_and_pays_for_no_reply_twice)
{
    subject agent;
    agent.graphs = [](const world& w) { return one_graph(weft::agent_graph(w.agent()), weft::agent_run_options()); };
    agent.request = [] {
        weft::run_request request{"t"};
        request.input(weft::agent_keys::input, std::string{"Umbrella?"});
        return weft::durable_request{std::move(request)};
    };
    agent.outcome = [](const weft::state& state) { return talk_of(state); };
    check_survival(agent, umbrella_script);
}

BOOST_AUTO_TEST_CASE(X_3_a_playbook_that_is_killed_at_any_point_ends_the_same_and_pays_for_no_reply_twice)
{
    const auto library = std::make_shared<weft::playbook_library>();
    library->emplace("inner",
                     playbook_of("inner",
                                 "{'id': 'i', 'subtype': 'agent', 'label': 'in', 'prompt': 'Inside {{trigger}}.'}, "
                                 "{'id': 'x', 'subtype': 'transfer', 'workflow': 'last', 'prompt': '{{in.result}}'}",
                                 {"t>i", "i>x"}));
    const std::string says_it = "{'id': 'r', 'subtype': 'response', 'prompt': 'So: {{trigger}}'}";
    library->emplace("last", playbook_of("last", says_it, {"t>r"}));
    library->emplace(
        "outer",
        playbook_of("outer",
                    "{'id': 'p', 'subtype': 'parallel'}, {'id': 'a', 'subtype': 'agent', 'prompt': 'First.'}, "
                    "{'id': 'c', 'subtype': 'tool-call', 'tool': 'weather'}, {'id': 'm', 'subtype': 'merge'}, "
                    "{'id': 'w', 'subtype': 'wait', 'amount': 30}, "
                    "{'id': 's', 'subtype': 'sub-workflow', 'workflow': 'inner', 'prompt': '{{a.result}}'}",
                    {"t>p", "p>a", "p>c", "a>m", "c>m", "m>w", "w>s"}));
    subject playbook;
    playbook.graphs = [library](const world& w) {
        weft::playbook_options options;
        options.agent = w.agent();
        options.library = library;
        return one_graph(weft::playbook_run_graph("outer", options), weft::playbook_run_options());
    };
    playbook.request = [] {
        weft::run_request request{"t"};
        request.input(weft::playbook_keys::trigger, boost::json::value("go"));
        return weft::durable_request{std::move(request)};
    };
    playbook.outcome = [](const weft::state& state) { return state.get(weft::playbook_keys::response); };
    check_survival(playbook, [](const weft::chat_request& asked) {
        if (count_of_role(asked, weft::role::assistant) == 0) return calling_weather(1);
        const bool is_inner = asked.messages[1].text().starts_with("Inside");
        return weft::message::assistant((is_inner ? "Inner. " : "Outer. ") + done_block);
    });
}

BOOST_AUTO_TEST_CASE(SUL_21_an_agent_with_a_workflow_that_is_killed_at_any_point_ends_the_same_and_pays_nothing_twice)
{
    const auto library = std::make_shared<weft::playbook_library>();
    library->emplace("look", playbook_of("look",
                                         "{'id': 'a', 'subtype': 'agent', 'prompt': 'Look at {{trigger}}.'}, "
                                         "{'id': 'c', 'subtype': 'condition', 'condition': 'It is wet'}, "
                                         "{'id': 'r', 'subtype': 'response', 'prompt': 'Wet: {{a.result}}'}",
                                         {"t>a", "a>c", "c.condition-true>r"}));
    subject agent;
    agent.graphs = [library](const world& w) {
        weft::workflow_agent_options options;
        options.agent = w.agent();
        options.workflows.agent = w.agent();
        options.workflows.library = library;
        return one_graph(weft::workflow_agent_graph(std::move(options)), weft::agent_run_options());
    };
    agent.request = [] {
        weft::run_request request{"t"};
        request.input(weft::agent_keys::input, std::string{"Umbrella?"});
        return weft::durable_request{std::move(request)};
    };
    agent.outcome = [](const weft::state& state) { return talk_of(state); };
    check_survival(agent, [](const weft::chat_request& asked) {
        if (asked.output) return weft::message::assistant(R"({"answer": "yes", "reasoning": "rain"})");
        const bool leads = asked.messages.back().text().starts_with("[Workflow 'look' completed]\nWet: It rains.");
        if (leads) return weft::message::assistant("Take one. " + done_block);
        if (asked.messages.back().role == weft::role::tool) return weft::message::assistant("Begun.");
        if (asked.messages[1].text() != "Umbrella?") return weft::message::assistant("It rains. " + done_block);
        weft::message starts = weft::message::assistant("");
        starts.tool_calls.push_back({"s1", "start_workflow", R"({"workflow": "look", "input": "Rome"})"});
        return starts;
    });
}

BOOST_AUTO_TEST_CASE(X_3_a_heartbeat_that_is_killed_at_any_point_ends_the_same_and_pays_for_no_reply_twice)
{
    subject heartbeat;
    heartbeat.graphs = [](const world& w) {
        weft::heartbeat_options options;
        options.agent = w.agent();
        options.directive = "Look after the garden.";
        options.on_blocked = weft::blocked_policy::next_cycle;
        return one_graph(weft::heartbeat_graph(std::move(options)), weft::heartbeat_run_options());
    };
    heartbeat.request = [] { return weft::durable_request{"t"}; };
    heartbeat.outcome = [](const weft::state& state) {
        const weft::heartbeat_status& status = state.get(weft::heartbeat_keys::status);
        return std::to_string(status.cycles) + ": " + status.summary;
    };
    check_survival(heartbeat, [](const weft::chat_request& asked) {
        if (asked.messages.back().text().find("cycle 1 of") != std::string::npos)
            return weft::message::assistant(blocked_block);
        if (count_of_role(asked, weft::role::assistant) == 0) return calling_weather(1);
        return weft::message::assistant("Watered. " + done_block);
    });
}

BOOST_AUTO_TEST_CASE(a_wait_that_is_begun_again_does_not_begin_anew)
{
    world w{umbrella_script};
    const auto what = playbook_of("p", "{'id': 'w', 'subtype': 'wait', 'amount': 10, 'unit': 'hours'}", {"t>w"});
    const auto graphs = one_graph(weft::playbook_graph(what, {}), weft::playbook_run_options());
    const auto request = [] { return weft::durable_request{"t"}; };
    {
        simulation::root<weft::run_result> root{w.sim, first_process(w.store, graphs, keeping_all(), request())};
        while (w.sim.elapsed() < 6h) w.sim.step();
        BOOST_REQUIRE(!root.has_ended());
    }
    (void)w.sim.run(later_process(w.store, graphs, keeping_all(), request()));
    BOOST_TEST((w.sim.elapsed() >= 10h && w.sim.elapsed() < 11h));
}

BOOST_AUTO_TEST_SUITE_END()
