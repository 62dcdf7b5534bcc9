#include <boost/test/unit_test.hpp>

#include "agent/agents.hpp"
#include "agent/core/node_warnings.hpp"

#include <weft/graph/graph_builder.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(node_warnings_test)

namespace {

/** What a node emits that does this. */
template <class Work>
std::vector<std::string> emitted_by(Work work)
{
    const weft::graph graph = weft::graph_builder{"g"}
                                  .node("n", [work](weft::node_context& node) { work(node); })
                                  .edge(weft::start, "n")
                                  .build();
    const seen_run seen = run_graph(graph, {}, {});
    BOOST_TEST(seen.result.message() == "finished");
    return seen.emitted;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_key_without_a_value_is_warned_of)
{
    const auto emitted = emitted_by([](weft::node_context& node) {
        weft::agent_detail::warn_of_missing({"topic", "tone"}, node);
        weft::agent_detail::warn_of_missing({}, node);
    });
    const std::vector<std::string> expected{"warning: the prompt names 'topic', which has no value",
                                            "warning: the prompt names 'tone', which has no value"};
    BOOST_TEST(emitted == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(only_a_reply_that_was_cut_is_warned_of)
{
    const auto emitted = emitted_by([](weft::node_context& node) {
        weft::agent_detail::warn_of_cut(weft::stop_reason::stop, node);
        weft::agent_detail::warn_of_cut(weft::stop_reason::tool_calls, node);
        weft::agent_detail::warn_of_cut(weft::stop_reason::length, node);
    });
    BOOST_REQUIRE(emitted.size() == 1U);
    BOOST_TEST(emitted[0] == "warning: the reply was cut at the limit of tokens: raise output_max");
}

BOOST_AUTO_TEST_SUITE_END()
