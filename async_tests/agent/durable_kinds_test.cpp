#include <boost/test/unit_test.hpp>

#include "filed_agents.hpp"
#include "killed_agents.hpp"

#include <boost/json/serialize.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(durable_kinds_test)

using namespace weft_tests::tool_agents;
using namespace weft_tests::killed_agents;

namespace {

weft::graph graph_of_file(const std::string& members, const std::shared_ptr<provider>& of, honest_answer answer)
{
    weft::tool_set tools;
    add_weather(tools, of);
    weft::agent_surroundings around;
    around.model = std::make_shared<honest_model>(of, std::move(answer));
    around.tools = std::make_shared<const weft::tool_set>(std::move(tools));
    return weft::load_graph(spec_text(members), registry_around(around)).what;
}

agents_at_work at_work(std::string members, honest_answer answer)
{
    return {[=](std::shared_ptr<provider> of) { return graph_of_file(members, of, answer); },
            [] { return weft::run_request{"t"}; }};
}

weft::message say_in_team(const weft::chat_request& request)
{
    const bool is_alice = request.messages[0].text() == "You are alice.";
    if (is_alice) return calling("transfer_to_bob", "h" + std::to_string(request.messages.size()), "{}");
    if (!has_called(request, "weather")) return calling("weather", "w", R"({"city":"Rome"})");
    if (!has_called(request, "transfer_to_alice")) return calling("transfer_to_alice", "a", "{}");
    return weft::message::assistant("It rains.");
}

weft::message say_in_office(const weft::chat_request& request)
{
    const std::string who = request.messages[0].text();
    if (who == "You write.") return weft::message::assistant("A text.");
    if (who == "You find.")
        return has_called(request, "weather") ? weft::message::assistant("Rain.")
                                              : calling("weather", "x", R"({"city":"Rome"})");
    if (has_called(request, "ask_finder")) return weft::message::assistant("All done.");
    weft::message both = calling("ask_finder", "f", R"({"task":"Find."})");
    both.tool_calls.push_back({"w", "ask_writer", R"({"task":"Write."})"});
    return both;
}

std::string talk_in(const weft::state& state)
{
    return told(weft::from_json<weft::list<weft::message>>(state.to_json().at("messages")));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_team_of_a_file_survives_a_kill_at_every_moment)
{
    const std::string members = file_of(
        "team",
        "'prompt': 'Does it rain?', 'active': 'who', 'members': [{'name': 'alice', 'system': 'You are alice.', "
        "'hands_over': [{'to': 'bob'}]}, {'name': 'bob', 'system': 'You are bob.', 'tools': ['weather'], "
        "'hands_over': [{'to': 'alice'}]}]",
        "'messages', 'answer', 'who'");
    const auto check = [](const world& w, const weft::state& state, const std::string& where) {
        const std::string_view end = "tool: The conversation is with bob now. / assistant: It rains.";
        BOOST_REQUIRE_MESSAGE(talk_in(state).ends_with(end), where << ": " << talk_in(state));
        BOOST_REQUIRE_MESSAGE(state.to_json().at("who").as_string() == "bob", where);
        BOOST_REQUIRE_MESSAGE(w.outside->asked.size() == 5u, where << ": " << w.outside->asked.size());
        BOOST_REQUIRE_MESSAGE(w.outside->tools.size() == 1u, where);
        BOOST_REQUIRE_MESSAGE(w.outside->calls <= (where == "undisturbed" ? 5 : 6), where << ": " << w.outside->calls);
    };
    BOOST_TEST(kill_at_every_moment(at_work(members, &say_in_team), check) > 50u);
}

BOOST_AUTO_TEST_CASE(a_supervisor_of_a_file_survives_a_kill_at_every_moment)
{
    const std::string members = file_of(
        "supervisor",
        "'system': 'You lead.', 'prompt': 'Do it.', 'workers': [{'name': 'finder', 'system': 'You find.', 'tools': "
        "['weather']}, {'name': 'writer', 'system': 'You write.'}]");
    const auto check = [](const world& w, const weft::state& state, const std::string& where) {
        BOOST_REQUIRE_MESSAGE(talk_in(state) == "user: Do it. / assistant: [ask_finder][ask_writer] / tool: Rain. / "
                                                "tool: A text. / assistant: All done.",
                              where << ": " << talk_in(state));
        BOOST_REQUIRE_MESSAGE(w.outside->asked.size() == 5u, where << ": " << w.outside->asked.size());
        BOOST_REQUIRE_MESSAGE(w.outside->tools.size() == 1u, where);
        // Two workers are at work at once: a kill costs at most the calls of both.
        BOOST_REQUIRE_MESSAGE(w.outside->calls <= (where == "undisturbed" ? 5 : 7), where << ": " << w.outside->calls);
    };
    BOOST_TEST(kill_at_every_moment(at_work(members, &say_in_office), check) > 50u);
}

BOOST_AUTO_TEST_SUITE_END()
