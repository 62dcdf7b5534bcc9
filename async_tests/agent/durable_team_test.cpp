#include <boost/test/unit_test.hpp>

#include "killed_agents.hpp"

#include <weft/agent/agent_team.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(durable_team_test)

using namespace weft_tests::tool_agents;
using namespace weft_tests::killed_agents;

namespace {

weft::message say(const weft::chat_request& request)
{
    const bool is_alice = request.messages[0].text() == "You are alice.";
    if (is_alice) return calling("transfer_to_bob", "h" + std::to_string(request.messages.size()), "{}");
    if (!has_called(request, "weather")) return calling("weather", "w", R"({"city":"Rome"})");
    if (!has_called(request, "transfer_to_alice")) return calling("transfer_to_alice", "a", "{}");
    return weft::message::assistant("It rains.");
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
    add_weather(bob.agent.tools, of);
    return weft::make_agent_team(std::make_shared<honest_model>(of, &say), {std::move(alice), std::move(bob)});
}

agents_at_work two_agents()
{
    return {&team_of, [] {
                return weft::run_request{"t"}.input(weft::react_messages, weft::message::user("Does it rain?"));
            }};
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
    // Each reply has one key, however often it was asked for: it is paid once.
    BOOST_REQUIRE_MESSAGE(w.outside->asked.size() == 5u, where << ": " << w.outside->asked.size());
    BOOST_REQUIRE_MESSAGE(w.outside->tools.size() == 1u, where);
}

}  // namespace

BOOST_AUTO_TEST_CASE(X_3_P27_two_agents_that_hand_over_survive_a_kill_at_every_moment)
{
    const auto check = [](const world& w, const weft::state& state, const std::string& where) {
        check_end(w, state, where);
        // A kill costs at most the one call that was under way; what was kept is not asked for again.
        BOOST_REQUIRE_MESSAGE(w.outside->calls <= (where == "undisturbed" ? 5 : 6), where << ": " << w.outside->calls);
    };
    BOOST_TEST(kill_at_every_moment(two_agents(), check) > 50u);
}

BOOST_AUTO_TEST_CASE(X_3_P27_killed_again_and_again_they_come_to_the_same_end)
{
    world undisturbed;
    check_end(undisturbed, run_to_end(undisturbed, two_agents()), "undisturbed");
    const std::size_t moments = undisturbed.sim.steps();
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        world w;
        weft::random_source random{seed};
        std::optional<weft::state> left;
        int kills = 0;
        while (!left && kills < 6) {
            left = run_for(w, two_agents(), random.below(2 * moments / 3));
            kills += left ? 0 : 1;
        }
        if (!left) left = run_to_end(w, two_agents());
        check_end(w, *left, "seed " + std::to_string(seed));
        BOOST_REQUIRE_MESSAGE(w.outside->calls <= 5 + kills, "seed " << seed << ": " << w.outside->calls);
    }
}

BOOST_AUTO_TEST_SUITE_END()
