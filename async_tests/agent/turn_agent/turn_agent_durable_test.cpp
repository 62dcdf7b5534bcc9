#include <boost/test/unit_test.hpp>

#include "agent/turns.hpp"
#include "agent/unsettled_journal.hpp"
#include "engine/durable/durable_processes.hpp"

#include <weft/agent/agent_kinds.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/graph/graph_spec_reader.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/testing/faulty_store.hpp>

#include <boost/json/serialize.hpp>

#include <map>
#include <optional>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(turn_agent_durable_test)

namespace {

using namespace std::chrono_literals;
using weft::run_result;
using weft::testing::simulation;

/** What the world saw, across processes. */
struct seen_calls {
    std::map<std::string, int> model;  ///< Calls of the model, by the effect's key.
    std::map<std::string, int> tool;   ///< Calls of the tool, by its idempotency key.
};

/** Looks three times, at what it was asked how often already, and then answers. Each call takes 10 ms. */
class steady_model final : public weft::chat_model {
public:
    explicit steady_model(std::shared_ptr<seen_calls> seen) : seen_{std::move(seen)} {}
    [[nodiscard]] std::string_view label() const noexcept override { return "steady"; }

private:
    [[nodiscard]] weft::task<weft::chat_reply> do_reply(weft::chat_request request, weft::chat_sink&) override
    {
        return answer(seen_, std::move(request));
    }
    static weft::task<weft::chat_reply> answer(std::shared_ptr<seen_calls> seen, weft::chat_request request)
    {
        ++seen->model[request.call_id];
        co_await weft::sleep_for(10ms);
        std::size_t looks = 0;
        for (const weft::message& said : request.messages) looks += said.role == weft::role::tool ? 1 : 0;
        weft::chat_reply reply;
        reply.message = weft::message::assistant(looks < 3 ? "" : "All seen.");
        reply.stop = weft::stop_reason::stop;
        reply.usage.input = weft::tokens{10};
        reply.usage.output = weft::tokens{2};
        if (looks < 3) {
            weft::tool_call call;
            call.id = "look-" + std::to_string(looks);
            call.name = "look";
            call.arguments = R"({"x":)" + std::to_string(looks) + "}";
            reply.message.tool_calls.push_back(std::move(call));
        }
        co_return reply;
    }

    std::shared_ptr<seen_calls> seen_;
};

weft::tool_set looking(const std::shared_ptr<seen_calls>& seen)
{
    weft::tool_set tools;
    tools.add("look", "Looks.", [seen](looked_at at, weft::tool_context& context) -> weft::task<std::string> {
        ++seen->tool[context.idempotency_key];
        co_await weft::sleep_for(5ms);
        co_return "seen " + std::to_string(at.x);
    });
    return tools;
}

weft::turn_agent make_agent(const std::shared_ptr<seen_calls>& seen)
{
    weft::turn_agent_options options;
    options.models = {std::make_shared<steady_model>(seen)};
    options.tools = looking(seen);
    return weft::turn_agent{std::move(options)};
}

std::shared_ptr<const weft::durable_graphs> graphs_of(const weft::turn_agent& agent)
{
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(agent.graph(), agent.limits());
    return graphs;
}

/** A store that takes a little time, so that a process can die before and behind each of its operations. */
struct slow_store {
    weft::memory_store kept{weft::hash_key{}};
    weft::testing::faulty_store way{kept, weft::testing::store_faults{}.delay_up_to(2ms), 1};
};

struct world {
    simulation sim{1};
    slow_store store{};
    std::shared_ptr<seen_calls> seen = std::make_shared<seen_calls>();
    weft::turn_agent agent = make_agent(seen);
    std::shared_ptr<const weft::durable_graphs> graphs = graphs_of(agent);
};

/** Who said what, a line each. */
std::string talk_of(const weft::turn_agent_result& result)
{
    std::string text;
    for (const weft::conversation_entry& entry : result.conversation)
        text.append(name_of(entry.message.role)).append(": ").append(entry.message.text()).append("\n");
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(P25_killed_at_every_point_an_agent_ends_as_if_nothing_had_happened)
{
    world whole;
    const weft::turn_agent_result expected = weft::turn_agent::result_of(
        whole.sim.run(first_process(whole.store.way, whole.graphs, {}, whole.agent.request("Look.", "t"))));
    BOOST_TEST(expected.answer == "All seen.");
    BOOST_TEST(expected.spent.turns == 4u);
    BOOST_TEST(expected.spent.used.count() == 48);
    BOOST_TEST((expected.spent.elapsed >= 55ms));
    const std::size_t moments = whole.sim.steps();
    std::size_t killed = 0;
    for (std::size_t at = 0; at < moments; ++at) {
        const std::string where = "killed after " + std::to_string(at) + " steps";
        world w;
        auto result = run_for(w.sim, first_process(w.store.way, w.graphs, {}, w.agent.request("Look.", "t")), at);
        killed += result ? 0 : 1;
        if (!result) result = w.sim.run(later_process(w.store.way, w.graphs, {}, w.agent.request("Look.", "t")));
        const weft::turn_agent_result ended = weft::turn_agent::result_of(std::move(*result));
        BOOST_REQUIRE_MESSAGE(ended.answer == expected.answer, where << ": " << ended.why);
        BOOST_REQUIRE_MESSAGE(talk_of(ended) == talk_of(expected), where << ":\n" << talk_of(ended));
        BOOST_REQUIRE_MESSAGE(ended.spent.turns == 4u && ended.spent.tool_calls == 3u, where);
        BOOST_REQUIRE_MESSAGE(ended.spent.used == expected.spent.used, where);
        // One call at most was under way when the process died: it went out again, under the same key.
        BOOST_REQUIRE_MESSAGE(w.seen->model.size() == 4u, where << ": " << w.seen->model.size());
        BOOST_REQUIRE_MESSAGE(w.seen->tool.size() == 3u, where << ": " << w.seen->tool.size());
        int calls = 0;
        for (const auto& [key, times] : w.seen->model) calls += times;
        for (const auto& [key, times] : w.seen->tool) calls += times;
        BOOST_REQUIRE_MESSAGE(calls <= 8, where << ": " << calls);
    }
    BOOST_TEST(killed > 50u);
}

namespace {

/** A graph file whose second node is the agent, in a process of its own. */
struct file_world {
    simulation sim{1};
    slow_store store{};
    std::shared_ptr<seen_calls> seen = std::make_shared<seen_calls>();
    std::shared_ptr<const weft::durable_graphs> graphs = graphs_with(seen);

    static std::shared_ptr<const weft::durable_graphs> graphs_with(const std::shared_ptr<seen_calls>& seen)
    {
        weft::node_registry registry;
        weft::add_agent_kinds(registry, {.model = std::make_shared<steady_model>(seen),
                                         .tools = std::make_shared<const weft::tool_set>(looking(seen))});
        const weft::loaded_graph loaded = weft::load_graph(
            R"json({"name": "file", "state": [{"name": "topic", "type": "string", "initial": "rain"},
                {"name": "answer", "type": "string"}, {"name": "length", "type": "integer"}],
                "nodes": [{"name": "before", "kind": "set", "settings": {"values": {"topic": "snow"}}},
                {"name": "work", "kind": "turn_agent", "reads": ["topic"], "writes": ["answer"],
                 "settings": {"prompt": "Tell of {topic}.", "tools": ["look"]}},
                {"name": "after", "kind": "set", "settings": {"expressions": {"length": "len(answer)"}}}],
                "edges": [{"from": "__start__", "to": "before"}, {"from": "before", "to": "work"},
                {"from": "work", "to": "after"}]})json",
            registry);
        auto graphs = std::make_shared<weft::durable_graphs>();
        graphs->add(loaded.what);
        return graphs;
    }
    [[nodiscard]] static weft::run_request request() { return weft::run_request{"t"}; }
    [[nodiscard]] int calls() const
    {
        int count = 0;
        for (const auto& [key, times] : seen->model) count += times;
        for (const auto& [key, times] : seen->tool) count += times;
        return count;
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(an_agent_of_a_file_that_is_killed_at_every_point_ends_alike)
{
    const std::string expected = R"({"topic":"snow","answer":"All seen.","length":9})";
    file_world whole;
    const run_result undisturbed =
        whole.sim.run(first_process(whole.store.way, whole.graphs, {}, file_world::request()));
    BOOST_TEST(boost::json::serialize(undisturbed.state.to_json()) == expected, undisturbed.message());
    BOOST_TEST(whole.calls() == 7);
    const std::size_t moments = whole.sim.steps();
    std::size_t killed = 0;
    for (std::size_t at = 0; at < moments; ++at) {
        file_world w;
        auto result = run_for(w.sim, first_process(w.store.way, w.graphs, {}, file_world::request()), at);
        killed += result ? 0 : 1;
        if (!result) result = w.sim.run(later_process(w.store.way, w.graphs, {}, file_world::request()));
        const std::string left = boost::json::serialize(result->state.to_json());
        BOOST_REQUIRE_MESSAGE(left == expected, "killed after " << at << " steps: " << left);
        BOOST_REQUIRE_MESSAGE(w.seen->model.size() == 4u && w.seen->tool.size() == 3u && w.calls() <= 8,
                              "killed after " << at << " steps: " << w.calls() << " calls");
    }
    BOOST_TEST(killed > 50u);
}

BOOST_AUTO_TEST_CASE(a_thread_goes_on_with_its_conversation_in_the_next_run)
{
    world w;
    (void)w.sim.run(first_process(w.store.way, w.graphs, {}, w.agent.request("Look.", "t")));
    const weft::turn_agent_result again = weft::turn_agent::result_of(
        w.sim.run(first_process(w.store.way, w.graphs, {}, w.agent.request("And now?", "t"))));
    BOOST_TEST(again.answer == "All seen.");
    BOOST_TEST(again.spent.turns == 1u);
    BOOST_TEST(talk_of(again).ends_with("user: And now?\nassistant: All seen.\n"));
}

BOOST_AUTO_TEST_CASE(IVY_15_a_call_that_was_made_before_a_crash_is_not_told_as_skipped)
{
    scripted_turn three = looks(1, "a");
    three.call("look", {{"x", 2}}, "b").call("look", {{"x", 3}}, "c");
    const turn_model model = turns_of({three, scripted_turn{"Done."}});
    weft::turn_agent_options options = turn_options({model});
    const auto mailbox = options.mailbox = std::make_shared<weft::agent_mailbox>();
    bool is_second_process = false;
    options.calls.after = [mailbox, &is_second_process](const weft::tool_invocation& call, weft::tool_answer&) {
        if (is_second_process && call.call.id == "a") BOOST_TEST(mailbox->post("t", "Wait."));
    };
    const weft::turn_agent agent{std::move(options)};
    const auto journal = std::make_shared<unsettled_journal>();
    std::string talks[2];
    for (std::string& talk : talks) {
        simulation sim{1};
        talk = run_turns(sim, agent, agent.request("Go.", "t").journal(journal)).talk();
        is_second_process = true;
    }
    BOOST_TEST(talks[0] == "user: Go.\nassistant: \ntool: seen 1\ntool: seen 2\ntool: seen 3\nassistant: Done.\n");
    BOOST_TEST(talks[1] == "user: Go.\nassistant: \ntool: seen 1\ntool: seen 2\ntool: seen 3\nuser: Wait.\n"
                           "assistant: Done.\n");
    BOOST_TEST(model->requests().size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
