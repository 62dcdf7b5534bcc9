#include <boost/test/unit_test.hpp>

#include "checkpoints.hpp"
#include "engine/scheduler/scheduler_script.hpp"
#include "graph/node/graph_keys.hpp"

#include <weft/engine/checkpoint/graph_fingerprint.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>

using namespace weft_tests;
using weft::graph_change;
using weft::state_update;

BOOST_AUTO_TEST_SUITE(graph_fingerprint_test)

namespace {

constexpr weft::state_key<std::string> text{"text"};
constexpr weft::state_key<std::int64_t> text_as_number{"text"};

weft::graph simple(std::string_view nodes, std::string_view edges)
{
    weft::graph_builder builder = plain_graph(nodes, edges);
    return builder.state(text).build();
}

/** A checkpoint of a run of `abcj` whose branches b and c run. */
strict_thread with_open_branches(const weft::graph& of)
{
    scheduler_script run{of};
    run.begin();
    run.ok("a", state_update{}.set(value, 5).set(text, "words"));
    strict_thread thread;
    weft::checkpoint_writer writer{of, strict_thread::key};
    thread.commit(writer.write(run.trail()));
    return thread;
}

bool has(const std::vector<graph_change>& changes, graph_change::kind what, std::string_view name, bool blocks)
{
    return std::any_of(changes.begin(), changes.end(), [&](const graph_change& c) {
        return c.what == what && c.name == name && c.blocks == blocks;
    });
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_fingerprint_is_of_the_shape_and_the_same_everywhere)
{
    const auto make = [] { return plain_graph("ab", "^a ab"); };
    const std::string print = weft::graph_fingerprint(make().build());
    BOOST_TEST(print.size() == 32u);
    BOOST_TEST(print == weft::graph_fingerprint(make().build()));
    BOOST_TEST(print != weft::graph_fingerprint(plain_graph("abc", "^a ab bc").build()));
    BOOST_TEST(print != weft::graph_fingerprint(plain_graph("ab", "^a ^b ab").build()));
    BOOST_TEST(print != weft::graph_fingerprint(make().state(text).build()));
    const weft::fan_out_options waiting{.on_failure = weft::branch_policy::wait_all};
    BOOST_TEST(print != weft::graph_fingerprint(make().fan_out("a", waiting).build()));
    BOOST_TEST(boost::json::serialize(weft::graph_shape(make().build())) ==
               R"({"name":"test","nodes":[{"name":"__start__","edges":["plain -> a"]},)"
               R"({"name":"a","edges":["plain -> b"]},{"name":"b"}],)"
               R"("keys":[{"name":"value","type":"integer"},{"name":"other","type":"integer"},)"
               R"({"name":"total","type":"integer","reducer":"add"},)"
               R"({"name":"words","type":"list of text","reducer":"append","update":"text"}]})");
    BOOST_TEST(weft::fingerprint_of_shape(weft::graph_shape(make().build())) == print);
}

BOOST_AUTO_TEST_CASE(code_timeouts_and_retries_are_not_part_of_it)
{
    const weft::graph a = weft::graph_builder{"g"}.node("n", [] {}).edge(weft::start, "n").build();
    const auto work = [] { return weft::command::next(); };
    const weft::graph b = weft::graph_builder{"g"}.node("n", work, tries(5)).edge(weft::start, "n").build();
    BOOST_TEST(weft::graph_fingerprint(a) == weft::graph_fingerprint(b));
    BOOST_TEST(weft::compare_graphs(a, b).empty());
}

BOOST_AUTO_TEST_CASE(differences_are_named_with_their_node_or_key)
{
    const weft::graph before = plain_graph("abc", "^a ab bc").build();
    const weft::graph after = plain_graph("abd", "^a ab ad").state(text).build();
    const auto changes = weft::compare_graphs(before, after);
    BOOST_TEST(has(changes, graph_change::kind::node_removed, "c", false));
    BOOST_TEST(has(changes, graph_change::kind::node_added, "d", false));
    BOOST_TEST(has(changes, graph_change::kind::edges_changed, "a", false));
    BOOST_TEST(has(changes, graph_change::kind::edges_changed, "b", false));
    BOOST_TEST(has(changes, graph_change::kind::key_added, "text", false));
    for (const graph_change& c : changes) BOOST_TEST(!c.text().empty());
}

BOOST_AUTO_TEST_CASE(a_checkpoint_goes_on_with_a_graph_that_has_more_in_another_order)
{
    const weft::graph before = simple("abcj", "^a ab ac bj cj");
    const strict_thread thread = with_open_branches(before);
    const weft::graph after = simple("xjcba", "^a ab ac bj cj jx");
    weft::frontier read = weft::decode_frontier(thread.head(), thread.blobs(), after);
    scheduler_script run{after, std::move(read)};
    BOOST_TEST(run.begin() == "start b, start c");
    run.ok("b");
    run.ok("c");
    run.ok("j");
    BOOST_TEST(run.ok("x") == "finish finished clean");
    BOOST_TEST(joined(run.path()) == "a b c j x");
    BOOST_TEST(run.state().get(value) == 5);
    BOOST_TEST(run.state().get(text) == "words");
    const auto changes = weft::compare_graphs(thread.head(), thread.blobs(), after);
    BOOST_TEST(!changes.empty());
    for (const graph_change& c : changes) BOOST_TEST(!c.blocks, c.text());
}

BOOST_AUTO_TEST_CASE(a_new_key_begins_with_its_initial_value)
{
    const strict_thread thread = with_open_branches(simple("abcj", "^a ab ac bj cj"));
    weft::graph_builder builder = plain_graph("abcj", "^a ab ac bj cj");
    const weft::graph after = builder.state(text, score).initial(score, 9).build();
    const weft::frontier read = weft::decode_frontier(thread.head(), thread.blobs(), after);
    BOOST_TEST(read.root->root().get(score) == 9);
}

BOOST_AUTO_TEST_CASE(all_differences_that_matter_to_a_checkpoint_are_named_at_once)
{
    const strict_thread thread = with_open_branches(simple("abcj", "^a ab ac bj cj"));
    weft::graph_builder builder = plain_graph("aej", "^a ae aj ej");
    const weft::graph after = builder.build();
    BOOST_CHECK_EXCEPTION((void)weft::decode_frontier(thread.head(), thread.blobs(), after), weft::error,
                          says(weft::errc::graph_changed, {"graph 'test'", "node 'b'", "node 'c'", "key 'text'",
                                                           "migration"}));
    const auto changes = weft::compare_graphs(thread.head(), thread.blobs(), after);
    BOOST_TEST(has(changes, graph_change::kind::node_removed, "b", true));
    BOOST_TEST(has(changes, graph_change::kind::key_removed, "text", true));
    BOOST_TEST(has(changes, graph_change::kind::node_added, "e", false));
}

BOOST_AUTO_TEST_CASE(a_fan_out_whose_branches_run_may_not_change)
{
    const strict_thread thread = with_open_branches(simple("abcj", "^a ab ac bj cj"));
    weft::graph_builder builder = plain_graph("abcj", "^a ab ac bj cj");
    builder.state(text).fan_out("a", {.on_failure = weft::branch_policy::wait_all});
    const weft::graph after = builder.build();
    BOOST_CHECK_EXCEPTION((void)weft::decode_frontier(thread.head(), thread.blobs(), after), weft::error,
                          says(weft::errc::graph_changed, {"node 'a'", "policy"}));
    const weft::graph meets_elsewhere = simple("abcjk", "^a ab ac bk ck kj");
    BOOST_CHECK_EXCEPTION((void)weft::decode_frontier(thread.head(), thread.blobs(), meets_elsewhere), weft::error,
                          says(weft::errc::graph_changed, {"node 'a'", "meet"}));
}

BOOST_AUTO_TEST_CASE(a_value_that_does_not_fit_its_key_any_more_is_named)
{
    const strict_thread thread = with_open_branches(simple("abcj", "^a ab ac bj cj"));
    weft::graph_builder builder = plain_graph("abcj", "^a ab ac bj cj");
    const weft::graph after = builder.state(text_as_number).build();
    BOOST_CHECK_EXCEPTION((void)weft::decode_frontier(thread.head(), thread.blobs(), after), weft::error,
                          says(weft::errc::graph_changed, {"key 'text'", "does not fit"}));
    const auto changes = weft::compare_graphs(thread.head(), thread.blobs(), after);
    BOOST_TEST(has(changes, graph_change::kind::type_changed, "text", false));
    BOOST_TEST(has(changes, graph_change::kind::value_refused, "text", true));
}

BOOST_AUTO_TEST_CASE(updates_that_wait_for_a_join_need_their_reducer)
{
    const weft::graph before = simple("abcj", "^a ab ac bj cj");
    scheduler_script run{before};
    run.begin();
    run.ok("a");
    run.ok("b", state_update{}.set(total, 3));
    strict_thread thread;
    weft::checkpoint_writer writer{before, strict_thread::key};
    thread.commit(writer.write(run.trail()));
    static constexpr weft::state_key<std::int64_t, weft::max> total_as_max{"total"};
    weft::graph_builder builder{"test"};
    builder.state(value, other, total_as_max, words, text);
    for (const char* node : {"a", "b", "c", "j"}) builder.node(node, [] {});
    const weft::graph after = add_edges(builder, "^a ab ac bj cj").build();
    BOOST_CHECK_EXCEPTION((void)weft::decode_frontier(thread.head(), thread.blobs(), after), weft::error,
                          says(weft::errc::graph_changed, {"key 'total'", "reducer"}));
}

BOOST_AUTO_TEST_CASE(graphs_within_nodes_are_compared_as_well)
{
    const auto outer = [](weft::graph inner) {
        weft::graph_builder builder = graph_of("a");
        builder.node("g", weft::subgraph{std::move(inner)});
        builder.edge(weft::start, "a").edge("a", "g");
        return builder.build();
    };
    const weft::graph inside = plain_graph("xy", "^x xy").build();
    const weft::graph before = outer(inside);
    scheduler_script run{before};
    run.begin();
    run.ok("a");
    weft::frontier where{run.trail()};
    scheduler_script inner_run{inside};
    inner_run.begin();
    inner_run.ok("x", state_update{}.set(value, 1));
    where.extra().inner.emplace_back(0, std::make_shared<const weft::frontier>(inner_run.trail()));
    strict_thread thread;
    weft::checkpoint_writer writer{before, strict_thread::key};
    thread.commit(writer.write(where));

    const weft::graph more = outer(plain_graph("zyx", "^x xy yz").build());
    const weft::frontier read = weft::decode_frontier(thread.head(), thread.blobs(), more);
    const weft::frontier& within = *read.extras->inner.front().second;
    BOOST_TEST(within.root->root().get(value) == 1);
    BOOST_TEST(within.branches[0].node == plain_graph("zyx", "^x xy yz").build().find("y"));

    const weft::graph less = outer(plain_graph("x", "^x").build());
    BOOST_CHECK_EXCEPTION((void)weft::decode_frontier(thread.head(), thread.blobs(), less), weft::error,
                          says(weft::errc::graph_changed, {"node 'g/y'"}));
    const weft::graph no_graph = plain_graph("ag", "^a ag").build();
    BOOST_CHECK_EXCEPTION((void)weft::decode_frontier(thread.head(), thread.blobs(), no_graph), weft::error,
                          says(weft::errc::graph_changed, {"node 'g'", "no graph"}));
}

BOOST_AUTO_TEST_SUITE_END()
