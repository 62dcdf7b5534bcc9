#include <boost/test/unit_test.hpp>

#include "agent/loops.hpp"
#include "engine/durable/durable_processes.hpp"

#include <weft/base/json.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/store/memory_store.hpp>

#include <boost/json/serialize.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace weft_tests;
using namespace std::chrono_literals;
using weft::testing::simulation;

BOOST_AUTO_TEST_SUITE(event_loop_durable_test)

namespace {

/** A provider that remembers, beyond crashes, which calls it was paid for, and answers by what was said so far. */
class paid_model final : public weft::chat_model {
public:
    struct ledger {
        std::map<std::string, int> calls;  ///< By idempotency key: how often it came.
    };
    explicit paid_model(std::shared_ptr<ledger> books) : books_{std::move(books)} {}
    [[nodiscard]] std::string_view label() const noexcept override { return "a paid model"; }

private:
    weft::task<weft::chat_reply> do_reply(weft::chat_request request, weft::chat_sink&) override
    {
        return reply(books_, std::move(request));
    }

    static void add_call(weft::message& said, std::string tool, boost::json::object arguments)
    {
        const std::string id = "call-" + tool + "-" + std::to_string(said.tool_calls.size());
        said.tool_calls.push_back({.id = id, .name = std::move(tool), .arguments = boost::json::serialize(arguments)});
    }

    static weft::task<weft::chat_reply> reply(std::shared_ptr<ledger> books, weft::chat_request request)
    {
        ++books->calls[request.call_id];
        co_await weft::sleep_for(7ms);
        std::size_t turns = 0;
        for (const weft::message& one : request.messages) turns += one.role == weft::role::assistant ? 1 : 0;
        const bool is_agent = request.messages[0].text().find("find things") != std::string::npos;
        weft::message said = weft::message::assistant("Turn " + std::to_string(turns) + ".");
        if (is_agent) {
            add_call(said, "set_output", {{"key", "found"}, {"value", "the Po"}});
        } else if (turns == 0) {
            add_call(said, "look", look_at("sky", 5));
            add_call(said, "look", look_at("sea", 9));
        } else if (turns == 1) {
            add_call(said, "delegate_to_sub_agent", {{"agent_id", "one"}, {"task", "Find."}});
            add_call(said, "delegate_to_sub_agent", {{"agent_id", "two"}, {"task", "Find too."}});
        } else if (turns == 3) {
            add_call(said, "set_output", {{"key", "answer"}, {"value", "It rains into the Po."}});
        } else if (turns == 4) {
            add_call(said, "look", look_at("the Po", 5));
        } else if (turns == 5) {
            add_call(said, "set_output", {{"key", "score"}, {"value", 9}});
        }
        weft::chat_reply made;
        made.message = std::move(said);
        made.stop = made.message.tool_calls.empty() ? weft::stop_reason::stop : weft::stop_reason::tool_calls;
        made.usage.input = weft::tokens{100};
        made.usage.output = weft::tokens{10};
        co_return made;
    }

    std::shared_ptr<ledger> books_;
};

weft::sub_agent finding(std::string id)
{
    weft::sub_agent agent;
    agent.id = std::move(id);
    agent.how.settings.system = "You find things.";
    agent.how.outputs = {{.name = "found"}};
    return agent;
}

weft::event_loop_options long_work()
{
    weft::event_loop_options options = answering();
    options.settings.conversation = "shared_talk";
    options.tools = looking();
    options.sub_agents = {finding("one"), finding("two")};
    return options;
}

/** It goes on in the conversation, and looks with the tool of the loop before. */
weft::event_loop_options check_of_it()
{
    weft::event_loop_options options = answering();
    options.settings.conversation = "shared_talk";
    options.outputs = {weft::output_of(loop_score)};
    options.tools_of_others = {{"write", looking()}};
    return options;
}

std::shared_ptr<const weft::durable_graphs> graphs_for(const std::shared_ptr<paid_model::ledger>& books)
{
    const auto model = std::make_shared<paid_model>(books);
    weft::graph_builder builder{"outer"};
    builder.state(loop_topic, loop_answer, loop_score, loop_talk_key);
    builder.initial(loop_topic, "rain").initial(loop_talk_key, weft::conversation{});
    weft::add_event_loop(builder, "write", model, long_work());
    weft::add_event_loop(builder, "check", model, check_of_it());
    builder.edge(weft::start, "write").edge("write", "check");
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(builder.build());
    return graphs;
}

struct loop_world {
    simulation sim{1};
    weft::memory_store store{weft::hash_key{}};
    std::shared_ptr<paid_model::ledger> books = std::make_shared<paid_model::ledger>();
};

/** The conversation as text, without the times that sub-agents took. */
std::string talk_text(const weft::state& left)
{
    std::string text;
    for (const weft::conversation_entry& one : left.get(loop_talk_key)) {
        std::string said = one.message.text();
        if (const std::size_t at = said.find("\"latency_ms\""); at != std::string::npos)
            said.erase(at, said.find(',', at) - at);
        text.append(weft::name_of(one.message.role)).append(": ").append(said).append("\n");
    }
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(X_3_killed_at_every_point_a_loop_ends_as_if_nothing_had_happened)
{
    std::string expected_talk;
    std::size_t expected_calls = 0;
    std::size_t steps = 0;
    {
        loop_world w;
        const weft::run_result whole = w.sim.run(first_process(w.store, graphs_for(w.books)));
        BOOST_REQUIRE_MESSAGE(whole.status == weft::run_status::finished, whole.message());
        BOOST_TEST(whole.state.get(loop_answer) == "It rains into the Po.");
        BOOST_TEST(whole.state.get(loop_score) == 9);
        expected_talk = talk_text(whole.state);
        expected_calls = w.books->calls.size();
        steps = w.sim.steps();
    }
    BOOST_TEST(expected_calls == 8u);  // four turns, one of each sub-agent, two turns of the check
    for (std::size_t at = 0; at < steps; ++at) {
        const std::string where = "killed after " + std::to_string(at) + " steps";
        loop_world w;
        std::optional<weft::run_result> ended = run_for(w.sim, first_process(w.store, graphs_for(w.books)), at);
        if (!ended) ended = w.sim.run(later_process(w.store, graphs_for(w.books)));
        const weft::state& left = ended->state;
        BOOST_REQUIRE_MESSAGE(left.get(loop_answer) == "It rains into the Po.", where);
        BOOST_REQUIRE_MESSAGE(talk_text(left) == expected_talk, where << "\n" << talk_text(left));
        // A call that was under way is made again with its key, so that it is paid once; the others are not.
        BOOST_REQUIRE_MESSAGE(w.books->calls.size() == expected_calls, where << ": " << w.books->calls.size());
        int again = 0;
        for (const auto& [key, times] : w.books->calls) again += times - 1;
        BOOST_REQUIRE_MESSAGE(again <= 2, where << ": " << again);  // two sub-agents work side by side
        BOOST_REQUIRE(!w.books->calls.contains(""));
    }
}

BOOST_AUTO_TEST_CASE(a_loop_waits_for_a_person_over_the_end_of_its_process)
{
    loop_world w;
    weft::event_loop_options options = answering();
    options.settings.faces_client = true;
    const auto model = model_of({loop_script{}.call("ask_user", {{"question", "Where?"}}), sets("answer", "In Rome.")});
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(graph_with(model, std::move(options)));
    const weft::run_result first = w.sim.run(first_process(w.store, graphs));
    BOOST_REQUIRE_MESSAGE(first.status == weft::run_status::paused, first.message());
    BOOST_REQUIRE(first.questions.size() == 1u);
    const auto later = [](weft::checkpoint_store& store, std::shared_ptr<const weft::durable_graphs> all,
                          std::string address) -> weft::task<weft::run_result> {
        weft::durable_engine durable{store, std::move(all)};
        co_await durable.open();
        weft::question_answers answers;
        answers.emplace(std::move(address), "Rome");
        weft::task<weft::run_result> going_on = durable.resume(weft::thread_key{"t"}, std::move(answers));
        weft::run_result result = co_await std::move(going_on);
        co_return result;
    };
    const weft::run_result second = w.sim.run(later(w.store, graphs, first.questions[0].address));
    BOOST_TEST((second.status == weft::run_status::finished), second.message());
    BOOST_TEST(second.state.get(loop_answer) == "In Rome.");
    BOOST_TEST(is_told(*model, 1, "user: Rome\n"));
    BOOST_CHECK_NO_THROW(model->assert_complete());
}

BOOST_AUTO_TEST_CASE(a_loop_can_be_torn_down_at_every_point)
{
    std::size_t steps = 0;
    {
        loop_world w;
        const weft::engine engine{graph_with(std::make_shared<paid_model>(w.books), long_work())};
        (void)w.sim.run(engine.run(weft::run_request{"t"}));
        steps = w.sim.steps();
    }
    for (std::size_t at = 0; at < steps; ++at) {
        loop_world stopped;
        const weft::engine engine{graph_with(std::make_shared<paid_model>(stopped.books), long_work())};
        {
            simulation::root<weft::run_result> root{stopped.sim, engine.run(weft::run_request{"t"})};
            for (std::size_t i = 0; i < at && !root.has_ended(); ++i) stopped.sim.step();
            root.request_stop();
            while (!root.has_ended()) stopped.sim.step();
            const weft::run_status status = root.take().status;
            BOOST_REQUIRE((status == weft::run_status::cancelled || status == weft::run_status::finished));
        }
        loop_world destroyed;
        simulation::root<weft::run_result> root{destroyed.sim, engine.run(weft::run_request{"t"})};
        for (std::size_t i = 0; i < at && !root.has_ended(); ++i) destroyed.sim.step();
    }
}

BOOST_AUTO_TEST_SUITE_END()
