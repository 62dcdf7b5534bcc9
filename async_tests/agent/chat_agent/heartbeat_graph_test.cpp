#include <boost/test/unit_test.hpp>

#include "agent/agent_graphs.hpp"

#include <weft/agent/chat_agent/heartbeat_graph.hpp>
#include <weft/base/error.hpp>

using namespace weft_tests;
using weft::agent_stop;
using weft::heartbeat_stop;
using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(heartbeat_graph_test)

namespace {

/** What an agent says that neither ends the heartbeat nor blocks: it fails to say how it stands, twice. */
void one_idle_cycle(weft::testing::scripted_model& model)
{
    model.then(scripted_turn{"Hm."}).then(scripted_turn{"Well."});
}

weft::heartbeat_options heartbeat_of(std::shared_ptr<weft::chat_model> model)
{
    weft::heartbeat_options options;
    options.agent = options_with(std::move(model));
    options.directive = "Look after the garden.";
    return options;
}

weft::run_result run_heartbeat(weft::heartbeat_options options)
{
    weft::run_request request{"garden"};
    request.options(weft::heartbeat_run_options());
    return run_agent_graph(weft::heartbeat_graph(std::move(options)), std::move(request)).result;
}

const weft::heartbeat_status& status_of(const weft::run_result& result)
{
    return result.state.get(weft::heartbeat_keys::status);
}

std::string said_by(const weft::chat_request& asked, weft::role speaker)
{
    std::string text;
    for (const weft::message& one : asked.messages)
        if (one.role == speaker) text += one.text() + "\n";
    return text;
}

bool tells(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(SUL_11_an_agent_that_is_done_ends_the_heartbeat)
{
    const auto model = scripted({"Watered. " + done_block});
    weft::heartbeat_options options = heartbeat_of(model);
    options.projects = [] { return std::vector<weft::named_text>{{"roses", "red ones"}}; };
    options.skills = [] { return std::vector<weft::named_text>{{"watering", ""}}; };
    options.rules = {"Never cut."};
    const weft::run_result result = run_heartbeat(std::move(options));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST((status_of(result).stop == heartbeat_stop::done));
    BOOST_TEST(status_of(result).cycles == 1u);
    BOOST_TEST(status_of(result).agent_thread.starts_with("heartbeat_agent_"));
    BOOST_TEST(status_of(result).agent_thread.ends_with("_1"));
    BOOST_TEST(status_of(result).summary == "All is well.");
    const std::string prompt = said_by(model->requests().at(0), weft::role::user);
    for (const char* const part : {"Look after the garden.", "It is Saturday, 2000-01-01", "cycle 1 of at most 10",
                                   "- roses: red ones", "- watering", "- Never cut."})
        BOOST_TEST(tells(prompt, part), part);
}

BOOST_AUTO_TEST_CASE(SUL_11_ten_cycles_are_the_most_and_each_agent_is_fresh)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    for (int i = 0; i < 10; ++i) one_idle_cycle(*model);
    const weft::run_result result = run_heartbeat(heartbeat_of(model));
    BOOST_TEST((status_of(result).stop == heartbeat_stop::max_cycles));
    BOOST_TEST(status_of(result).cycles == 10u);
    BOOST_TEST(result.visits_of("cycle") == 10u);
    model->assert_complete();
    for (std::size_t first = 0; first < 20; first += 2)
        BOOST_TEST(model->requests().at(first).messages.size() == 2u);  // the system's prompt and the cycle's
    BOOST_TEST(tells(said_by(model->requests().at(2), weft::role::user), "## What the cycle before did\nWell."));
}

BOOST_AUTO_TEST_CASE(SUL_11_a_blocked_agent_ends_the_heartbeat_by_default)
{
    const auto model = scripted({blocked_block});
    const weft::run_result result = run_heartbeat(heartbeat_of(model));
    BOOST_TEST((status_of(result).stop == heartbeat_stop::blocked));
    BOOST_TEST(status_of(result).cycles == 1u);
    BOOST_TEST(!result.state.get(weft::heartbeat_keys::agent).waiting_for_user);  // no user is there
    const weft::conversation& notes = result.state.get(weft::heartbeat_keys::notes);
    BOOST_REQUIRE(notes.size() == 1u);
    BOOST_TEST(notes[0].message.text() ==
               "[Sub-agent blocked]\nBlocker: no key\nRequirements to unblock: the key");
}

BOOST_AUTO_TEST_CASE(SUL_11_or_the_next_cycle_is_told_why)
{
    const auto model = scripted({blocked_block, "Found it. " + done_block});
    weft::heartbeat_options options = heartbeat_of(model);
    options.on_blocked = weft::blocked_policy::next_cycle;
    const weft::run_result result = run_heartbeat(std::move(options));
    BOOST_TEST((status_of(result).stop == heartbeat_stop::done));
    BOOST_TEST(status_of(result).cycles == 2u);
    BOOST_TEST(!tells(said_by(model->requests().at(0), weft::role::system), "[Sub-agent blocked]"));
    BOOST_TEST(tells(said_by(model->requests().at(1), weft::role::system), "Blocker: no key"));
}

BOOST_AUTO_TEST_CASE(SUL_24_projects_and_skills_are_loaded_once_and_agents_in_each_cycle)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    for (int i = 0; i < 3; ++i) one_idle_cycle(*model);
    weft::heartbeat_options options = heartbeat_of(model);
    options.cycles_max = 3;
    int projects = 0;
    int skills = 0;
    int agents = 0;
    const auto counted = [](int& count, std::string name) {
        return [&count, name] {
            ++count;
            return std::vector<weft::named_text>{{name + std::to_string(count), ""}};
        };
    };
    options.projects = counted(projects, "project");
    options.skills = counted(skills, "skill");
    options.agents = counted(agents, "agent");
    BOOST_TEST(status_of(run_heartbeat(options)).cycles == 3u);
    BOOST_TEST(projects == 1);
    BOOST_TEST(skills == 1);
    BOOST_TEST(agents == 3);
    const std::string last = said_by(model->requests().at(4), weft::role::user);
    for (const char* const part : {"- project1\n", "- skill1\n", "- agent3\n"}) BOOST_TEST(tells(last, part), part);
}

BOOST_AUTO_TEST_CASE(a_cycle_that_fails_is_counted_and_the_heartbeat_goes_on)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(scripted_turn{}.fails(weft::errc::model_overloaded)).then(scripted_turn{"Watered. " + done_block});
    const weft::run_result result = run_heartbeat(heartbeat_of(model));
    BOOST_TEST((status_of(result).stop == heartbeat_stop::done));
    BOOST_TEST(status_of(result).failed_cycles == 1u);
    BOOST_TEST(status_of(result).cycles == 2u);
}

BOOST_AUTO_TEST_CASE(an_agent_at_its_limit_ends_its_cycle_only)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(scripted_turn{"Again. " + more_block}, 40).then(scripted_turn{"Watered. " + done_block});
    const weft::run_result result = run_heartbeat(heartbeat_of(model));
    BOOST_TEST((status_of(result).stop == heartbeat_stop::done));
    BOOST_TEST(status_of(result).cycles == 2u);
}

BOOST_AUTO_TEST_CASE(the_end_of_a_cycle_is_decided_by_its_agent)
{
    const weft::heartbeat_options options;
    weft::heartbeat_status status;
    status.cycles = 1;
    weft::agent_status agent;
    agent.stop = agent_stop::no_block;
    agent.reply = std::string(600, 'x');
    BOOST_TEST((end_cycle(status, agent, false, options) == heartbeat_stop::none));
    BOOST_TEST(status.summary.size() == 500u);
    agent.stop = agent_stop::agent_error;
    BOOST_TEST((end_cycle(status, agent, false, options) == heartbeat_stop::none));
    BOOST_TEST(status.failed_cycles == 1u);
    BOOST_TEST((end_cycle(status, agent, true, options) == heartbeat_stop::none));
    BOOST_TEST((status.last == agent_stop::failed));
    status.cycles = options.cycles_max;
    BOOST_TEST((end_cycle(status, agent, true, options) == heartbeat_stop::max_cycles));
}

BOOST_AUTO_TEST_CASE(a_heartbeat_without_cycles_is_refused)
{
    weft::heartbeat_options options = heartbeat_of(scripted({}));
    options.cycles_max = 0;
    BOOST_CHECK_THROW((void)weft::heartbeat_graph(options), weft::error);
}

BOOST_AUTO_TEST_SUITE_END()
