#include "net/test_loop.hpp"
#include "serve/server/server_life.hpp"

#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/graph/node_context.hpp>

#include <boost/json/object.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>
#include <vector>

BOOST_AUTO_TEST_SUITE(subgraph_routes_test)

inline constexpr weft::state_key<std::string> note_key{"note"};

weft::graph innermost_graph()
{
    const auto work = [](weft::node_context& ctx) { ctx.set(note_key, "done"); };
    return weft::graph_builder{"innermost"}.state(note_key).node("work", work).edge(weft::start, "work").build();
}

weft::graph middle_graph()
{
    return weft::graph_builder{"middle"}
        .state(note_key)
        .node("deep", weft::subgraph{.graph = innermost_graph()})
        .edge(weft::start, "deep")
        .build();
}

weft::graph outer_graph()
{
    return weft::graph_builder{"outer"}
        .state(note_key)
        .node("left", weft::subgraph{.graph = middle_graph()})
        .node("right", weft::subgraph{.graph = innermost_graph()})
        .edge(weft::start, "left")
        .edge("left", "right")
        .build();
}

struct nested_world {
    /** The namespaces that are shown, each with the name of its graph. */
    std::string shown(std::string_view rest)
    {
        const answer got = server.send("GET", "/assistants/outer/subgraphs" + std::string{rest});
        if (got.status != 200) return std::to_string(got.status) + ' ' + std::string{got.json().at("code").as_string()};
        std::string names;
        const boost::json::value all = got.json();
        for (const auto& [space, graph] : all.as_object()) {
            names.append(names.empty() ? "" : ", ").append(space).append("=");
            names.append(graph.at("graph_id").as_string());
        }
        return names;
    }

    test_loop loop;
    weft::memory_store store;
    life server{loop, store, {outer_graph()}};
};

BOOST_AUTO_TEST_CASE(those_of_a_graph_are_shown_and_on_request_all_that_are_within_them)
{
    nested_world w;
    BOOST_TEST(w.shown("") == "left=middle, right=innermost");
    BOOST_TEST(w.shown("?recurse=false") == "left=middle, right=innermost");
    BOOST_TEST(w.shown("?recurse=true") == "left=middle, left|deep=innermost, right=innermost");
    BOOST_TEST(w.shown("?recurse=perhaps") == "422 invalid_query");
}

BOOST_AUTO_TEST_CASE(one_is_shown_by_its_namespace)
{
    nested_world w;
    BOOST_TEST(w.shown("/left") == "left=middle");
    BOOST_TEST(w.shown("/left?recurse=true") == "left=middle, left|deep=innermost");
    BOOST_TEST(w.shown("/left%7Cdeep") == "left|deep=innermost");
    BOOST_TEST(w.shown("/none") == "404 subgraph_not_found");
    BOOST_TEST(w.shown("/lef") == "404 subgraph_not_found");
}

BOOST_AUTO_TEST_SUITE_END()
