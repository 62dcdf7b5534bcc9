#include <weft/agent/playbook/playbook_run.hpp>

#include <boost/test/unit_test.hpp>

#include "agent/playbooks.hpp"

#include <weft/base/error.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(playbook_run_test)

namespace {

/** `outer` calls `inner`, which transfers to `last`; `round` transfers to itself. */
weft::playbook_options transferring()
{
    auto library = std::make_shared<weft::playbook_library>();
    library->emplace("inner", playbook_of("inner", "{'id': 'x', 'subtype': 'transfer', 'workflow': 'last', "
                                                   "'prompt': 'from {{trigger}}'}", {"t>x"}));
    library->emplace("last",
                     playbook_of("last", "{'id': 'r', 'subtype': 'response', 'prompt': '{{trigger}}'}", {"t>r"}));
    library->emplace("outer",
                     playbook_of("outer", "{'id': 's', 'subtype': 'sub-workflow', 'workflow': 'inner', "
                                          "'prompt': 'outer'}, {'id': 'r', 'subtype': 'response', 'prompt': 'never'}",
                                 {"t>s", "s>r"}));
    library->emplace("round", playbook_of("round", "{'id': 'x', 'subtype': 'transfer', 'workflow': 'round'}", {"t>x"}));
    weft::playbook_options options = options_of(nullptr);
    options.library = library;
    return options;
}

}  // namespace

BOOST_AUTO_TEST_CASE(SUL_15_a_transfer_ends_all_playbooks_and_goes_on_with_another)
{
    weft::testing::simulation sim{1};
    const weft::run_result result = sim.run(weft::run_playbook("outer", "go", transferring(), "pb"));
    BOOST_TEST(result.message() == "finished");
    const std::vector<std::string> expected{"outer", "last"};
    BOOST_TEST(result.state.get(weft::playbook_keys::workflows) == expected, boost::test_tools::per_element());
    BOOST_TEST(result.state.get(weft::playbook_keys::response) == "from outer");
    BOOST_TEST(result.state.get(weft::playbook_keys::outputs).size() == 2u);  // of the last one
}

BOOST_AUTO_TEST_CASE(transfers_that_go_round_are_ended)
{
    weft::testing::simulation sim{1};
    const weft::run_result result = sim.run(weft::run_playbook("round", "go", transferring(), "pb"));
    BOOST_TEST((result.status == weft::run_status::failed));
    BOOST_REQUIRE(result.why);
    BOOST_TEST((result.why->code == weft::errc::limit_reached));
    BOOST_TEST(result.visits_of("round") == 11u);
}

BOOST_AUTO_TEST_CASE(a_playbook_that_is_not_there_is_told)
{
    BOOST_CHECK_EXCEPTION((void)weft::playbook_run_graph("nobody", transferring()), weft::error,
                          [](const weft::error& e) { return e.code() == weft::errc::unknown_node; });
    BOOST_CHECK_THROW((void)weft::playbook_run_graph("any", options_of(nullptr)), weft::error);
}

BOOST_AUTO_TEST_CASE(SUL_15_events_are_told_in_the_words_of_playbooks)
{
    weft::playbook_options options = transferring();
    auto library = std::make_shared<weft::playbook_library>(*options.library);
    library->emplace("talk", playbook_of("talk", "{'id': 'a', 'subtype': 'agent', 'prompt': 'Do it.'}, "
                                                 "{'id': 's', 'subtype': 'sub-workflow', 'workflow': 'last'}",
                                         {"t>a", "a>s"}));
    options.library = library;
    options.agent.model = scripted({"Done. " + done_block});
    std::vector<std::string> told;
    const auto note = [&](const weft::run_event& event) {
        const auto word = weft::playbook_event_of(event, *library);
        if (word && word->name != "edge_activated")
            told.push_back(word->workflow + ": " + std::string{word->name} + " " + word->node);
    };
    weft::run_request request{"pb"};
    request.input(weft::playbook_keys::trigger, boost::json::value("go")).on_event(note);
    weft::testing::simulation sim{1};
    const weft::engine engine{weft::playbook_run_graph("talk", options)};
    BOOST_TEST(sim.run(engine.run(std::move(request))).message() == "finished");
    const std::vector<std::string> expected{
        "talk: workflow_started ", "talk: node_started t", "talk: node_completed t", "talk: node_started a",
        "talk: node_completed a", "talk: node_started s", "last: workflow_started ", "last: node_started t",
        "last: node_completed t", "last: node_started r", "last: node_completed r", "last: workflow_completed ",
        "talk: node_completed s", "talk: workflow_completed "};
    BOOST_TEST(told == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
