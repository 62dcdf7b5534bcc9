#include <weft/agent/chat_agent/flow_decision.hpp>

#include <boost/test/unit_test.hpp>

#include "agent/agent_graphs.hpp"

#include <weft/graph/graph_builder.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(flow_decision_test)

using weft::flow_decision;
using kind = flow_decision::kind;

namespace {

struct flow_run {
    std::string path;
    std::vector<std::string> emitted;
    bool was_cut_short = false;
};

/** Runs a graph a -> b with a further node c and a reviser; `a` decides, on a further visit for `next`. */
flow_run run_flow(const flow_decision& decision, const std::string& reviser = "r", bool is_stubborn = false)
{
    weft::flow_targets targets;
    targets.nodes = {"a", "b", "c", "r"};
    targets.reviser = reviser;
    const auto decide = [=](weft::node_context& node) {
        return weft::follow(node.visit() == 1 || is_stubborn ? decision : flow_decision{}, targets, node);
    };
    weft::node_options how;
    how.goes_to = targets.nodes;
    const weft::graph what = weft::graph_builder{"flow"}
                                 .node("a", decide, std::move(how))
                                 .node("b", [] {})
                                 .node("c", [] {})
                                 .node("r", [] {})
                                 .edge(weft::start, "a")
                                 .edge("a", "b")
                                 .build();
    weft::run_request request{"t"};
    request.options(weft::agent_run_options());
    agent_run run = run_agent_graph(what, std::move(request));
    flow_run seen;
    for (const std::string_view node : run.result.path()) seen.path.append(node);
    seen.emitted = std::move(run.emitted);
    seen.was_cut_short = run.result.was_cut_short;
    return seen;
}

}  // namespace

BOOST_AUTO_TEST_CASE(SUL_1_each_decision_leads_where_it_says)
{
    BOOST_TEST(run_flow(flow_decision{kind::next}).path == "ab");
    BOOST_TEST(run_flow(flow_decision{kind::end}).path == "a");
    BOOST_TEST(run_flow(flow_decision{kind::go_to, "c"}).path == "ac");
    BOOST_TEST(run_flow(flow_decision{kind::carry_on}).path == "aab");
    BOOST_TEST(run_flow(flow_decision{kind::revise}).path == "ar");
}

BOOST_AUTO_TEST_CASE(SUL_1_what_is_not_there_ends_the_run_with_a_warning)
{
    const flow_run unknown = run_flow(flow_decision{kind::go_to, "nowhere"});
    BOOST_TEST(unknown.path == "a");
    BOOST_REQUIRE(unknown.emitted.size() == 1u);
    BOOST_TEST(unknown.emitted[0] == "warning: there is no node 'nowhere' to go to: it ends here");
    BOOST_TEST(run_flow(flow_decision{kind::revise}, "").path == "a");
}

BOOST_AUTO_TEST_CASE(SUL_2_a_node_that_carries_on_for_ever_stops_at_forty)
{
    const flow_run run = run_flow(flow_decision{kind::carry_on}, "r", true);
    BOOST_TEST(run.path.size() == 40u);
    BOOST_TEST(run.was_cut_short);
}

BOOST_AUTO_TEST_SUITE_END()
