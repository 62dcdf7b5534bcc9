#include <boost/test/unit_test.hpp>

#include "../engine/durable_cases.hpp"
#include "../engine/durable_processes.hpp"
#include "tool_agents.hpp"

#include <weft/agent/agent_team.hpp>
#include <weft/testing/faulty_store.hpp>

#include <map>
#include <optional>

using namespace weft_tests;
using namespace std::chrono_literals;
using weft::testing::simulation;

BOOST_AUTO_TEST_SUITE(durable_team_test)

using namespace weft_tests::tool_agents;

namespace {

/** A provider that lives longer than the processes that ask it: what it was asked, by idempotency key. */
struct provider {
    std::map<std::string, int> asked;
    std::map<std::string, int> tools;
    int calls = 0;
};

bool has_answer_to(const weft::chat_request& request, std::string_view tool)
{
    for (const weft::message& one : request.messages)
        for (const weft::tool_call& call : one.tool_calls)
            if (call.name == tool) return true;
    return false;
}

/** Answers from what was said alone, as a model does. */
class honest_model final : public weft::chat_model {
public:
    explicit honest_model(std::shared_ptr<provider> of) : provider_{std::move(of)} {}
    [[nodiscard]] std::string_view label() const noexcept override { return "honest"; }

private:
    weft::task<weft::chat_reply> do_reply(weft::chat_request request, weft::chat_sink&) override
    {
        return reply(provider_, std::move(request));
    }
    static weft::task<weft::chat_reply> reply(std::shared_ptr<provider> of, weft::chat_request request)
    {
        ++of->calls;
        ++of->asked[request.call_id];
        co_await weft::sleep_for(30ms);
        weft::chat_reply reply;
        reply.stop = weft::stop_reason::tool_calls;
        const bool is_alice = request.messages[0].text() == "You are alice.";
        if (is_alice) reply.message = calls("transfer_to_bob", "h" + std::to_string(request.messages.size()), "{}");
        else if (!has_answer_to(request, "weather")) reply.message = calls("weather", "w", R"({"city":"Rome"})");
        else if (!has_answer_to(request, "transfer_to_alice")) reply.message = calls("transfer_to_alice", "a", "{}");
        else reply.message = weft::message::assistant("It rains.");
        if (reply.message.tool_calls.empty()) reply.stop = weft::stop_reason::stop;
        co_return reply;
    }
    static weft::message calls(std::string tool, std::string id, std::string arguments)
    {
        weft::message one = weft::message::assistant("");
        one.tool_calls.push_back({std::move(id), std::move(tool), std::move(arguments)});
        return one;
    }
    std::shared_ptr<provider> provider_;
};

weft::task<std::string> look_out(std::shared_ptr<provider> of, std::string key, std::string city)
{
    ++of->tools[key];
    co_await weft::sleep_for(20ms);
    co_return "rain in " + city;
}

weft::graph team_of(std::shared_ptr<provider> of)
{
    weft::team_member alice;
    alice.agent.name = "alice";
    alice.agent.settings.system = "You are alice.";
    alice.agent.settings.hands_over = {{"bob", ""}};
    weft::team_member bob;
    bob.agent.name = "bob";
    bob.agent.settings.system = "You are bob.";
    bob.agent.settings.hands_over = {{"alice", ""}};
    bob.agent.tools.add("weather", "The weather of a city.",
                        [of](const city_of_tool& at, const weft::tool_context& context) {
                            return look_out(of, context.idempotency_key, at.city);
                        });
    return weft::make_agent_team(std::make_shared<honest_model>(of), {std::move(alice), std::move(bob)});
}

weft::durable_request first_question()
{
    return weft::durable_request{
        weft::run_request{"t"}.input(weft::react_messages, weft::message::user("Does it rain?"))};
}

/** Each call of the store takes a while before it counts and before its answer comes: moments to be killed in. */
weft::testing::store_faults slow()
{
    weft::testing::store_faults faults;
    faults.delay_up_to(5ms);
    return faults;
}

struct world {
    simulation sim{1};
    weft::memory_store memory{test_key()};
    weft::testing::faulty_store store{memory, slow(), 1};
    std::shared_ptr<provider> outside = std::make_shared<provider>();
};

/** A process: takes over what others left, or asks the question if nobody has. */
weft::task<weft::run_result> process(const world& in, weft::checkpoint_store& store)
{
    return later_process(store, graphs_of(team_of(in.outside)), weft::durable_options{}.attempts_max(1000),
                         first_question());
}

constexpr std::string_view expected_talk =
    "user: Does it rain? / assistant: [transfer_to_bob] / tool: The conversation is with bob now. / "
    "assistant: [weather] / tool: rain in Rome / assistant: [transfer_to_alice] / "
    "tool: The conversation is with alice now. / assistant: [transfer_to_bob] / "
    "tool: The conversation is with bob now. / assistant: It rains.";

void check_end(const world& w, const weft::state& state, const std::string& where)
{
    BOOST_REQUIRE_MESSAGE(told(state.get(weft::react_messages)) == expected_talk, where);
    BOOST_REQUIRE_MESSAGE(state.get(weft::react_answer) == "It rains.", where);
    BOOST_REQUIRE_MESSAGE(state.get(weft::active_agent) == "bob", where);
    // Each reply has one key, whoever asked for it how often: it is paid once.
    BOOST_REQUIRE_MESSAGE(w.outside->asked.size() == 5u, where << ": " << w.outside->asked.size());
    BOOST_REQUIRE_MESSAGE(w.outside->tools.size() == 1u, where);
}

std::size_t undisturbed_steps()
{
    world w;
    check_end(w, w.sim.run(process(w, w.store)).state, "undisturbed");
    BOOST_TEST(w.outside->calls == 5);
    return w.sim.steps();
}

}  // namespace

BOOST_AUTO_TEST_CASE(X_3_P27_two_agents_that_hand_over_survive_a_kill_at_every_moment)
{
    const std::size_t moments = undisturbed_steps();
    std::size_t kills = 0;
    for (std::size_t at = 0; at < moments; ++at) {
        const std::string where = "killed after " + std::to_string(at) + " steps";
        world w;
        std::optional<weft::run_result> left = run_for(w.sim, process(w, w.store), at);
        kills += left ? 0 : 1;
        if (!left) left = w.sim.run(process(w, w.store));
        check_end(w, left->state, where);
        // A kill costs at most the one call that was under way; what was kept is not asked for again.
        BOOST_REQUIRE_MESSAGE(w.outside->calls <= 6, where << ": " << w.outside->calls);
    }
    BOOST_TEST(kills > 50u);
}

BOOST_AUTO_TEST_CASE(X_3_P27_killed_again_and_again_they_come_to_the_same_end)
{
    const std::size_t moments = undisturbed_steps();
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        world w;
        weft::random_source random{seed};
        std::optional<weft::run_result> left;
        int kills = 0;
        while (!left && kills < 6) {
            left = run_for(w.sim, process(w, w.store), random.below(2 * moments / 3));
            kills += left ? 0 : 1;
        }
        if (!left) left = w.sim.run(process(w, w.store));
        check_end(w, left->state, "seed " + std::to_string(seed));
        BOOST_REQUIRE_MESSAGE(w.outside->calls <= 5 + kills, "seed " << seed << ": " << w.outside->calls);
    }
}

BOOST_AUTO_TEST_SUITE_END()
