#include <boost/test/unit_test.hpp>

#include "checkpoints.hpp"
#include "engine/scheduler/scheduler_script.hpp"
#include "graph/node/graph_keys.hpp"

#include <weft/engine/checkpoint/graph_migration.hpp>

using namespace weft_tests;
using weft::graph_migration;
using weft::graph_migrations;
using weft::state_update;

BOOST_AUTO_TEST_SUITE(graph_migration_test)

namespace {

constexpr weft::state_key<std::string> text{"text"};
constexpr weft::state_key<std::int64_t> length{"length"};
constexpr weft::state_key<std::vector<std::int64_t>, weft::append> lengths{"lengths"};

strict_thread stored(const weft::graph& of)
{
    scheduler_script run{of};
    run.begin();
    run.ok("a", state_update{}.set(value, 5).set(text, "words").set(words, "one"));
    run.ok("b", state_update{}.set(words, "three"));
    strict_thread thread;
    weft::checkpoint_writer writer{of, strict_thread::key};
    thread.commit(writer.write(run.trail()));
    return thread;
}

}  // namespace

BOOST_AUTO_TEST_CASE(nodes_and_keys_are_renamed_dropped_and_converted)
{
    weft::graph_builder old_builder = plain_graph("abcj", "^a ab ac bj cj");
    const weft::graph before = old_builder.state(text).build();
    const strict_thread thread = stored(before);

    weft::graph_builder builder{"test"};
    builder.state(other, total, lengths, length);
    for (const char* node : {"a", "b", "search", "j"}) builder.node(node, [] {});
    builder.edge(weft::start, "a").edge("a", "b").edge("a", "search").edge("b", "j").edge("search", "j");
    const weft::graph after = builder.build();

    const auto length_of = [](const boost::json::value& one) -> boost::json::value {
        return static_cast<std::int64_t>(one.as_string().size());
    };
    const auto lengths_of = [length_of](const boost::json::value& all) -> boost::json::value {
        boost::json::array result;
        for (const boost::json::value& one : all.as_array()) result.push_back(length_of(one));
        return result;
    };
    graph_migrations by;
    by.add(graph_migration{weft::graph_fingerprint(before), weft::graph_fingerprint(after)}
               .rename_node("c", "search")
               .drop_key("value")
               .convert_key("text", length_of)
               .rename_key("text", "length")
               .rename_key("words", "lengths")
               .convert_key("words", lengths_of, length_of));
    weft::frontier read = weft::decode_frontier(thread.head(), thread.blobs(), after, by);
    BOOST_TEST(read.root->root().get(length) == 5);
    for (const weft::graph_change& change : weft::compare_graphs(thread.head(), thread.blobs(), after, by))
        BOOST_TEST(!change.blocks, change.text());
    scheduler_script run{after, std::move(read)};
    BOOST_TEST(run.begin() == "start search");
    run.ok("search");
    run.ok("j");
    BOOST_TEST((run.state().get(lengths) == std::vector<std::int64_t>{3, 5}));
}

BOOST_AUTO_TEST_CASE(migrations_are_chained_by_their_fingerprints)
{
    graph_migrations by;
    by.add(graph_migration{"1", "2"}).add(graph_migration{"2", "3"}).add(graph_migration{"3", "1"});
    by.add(graph_migration{"3", "4"}).add(graph_migration{"1", "3"});
    const auto way = by.way("1", "4");
    BOOST_REQUIRE_EQUAL(way.size(), 2u);
    BOOST_TEST(way[0]->to() == "3");
    BOOST_TEST(way[1]->to() == "4");
    BOOST_TEST(by.way("4", "1").empty());
    BOOST_TEST(by.way("1", "1").empty());

    const auto named = [](weft::state_key<std::string> key) {
        weft::graph_builder builder = plain_graph("abcj", "^a ab ac bj cj");
        return builder.state(key).build();
    };
    const weft::graph first = named(text);
    const weft::graph second = named(weft::state_key<std::string>{"prose"});
    const weft::graph third = named(weft::state_key<std::string>{"report"});
    graph_migrations renames;
    renames.add(graph_migration{weft::graph_fingerprint(first), weft::graph_fingerprint(second)}
                    .rename_key("text", "prose"));
    renames.add(graph_migration{weft::graph_fingerprint(second), weft::graph_fingerprint(third)}
                    .rename_key("prose", "report"));
    const strict_thread thread = stored(first);
    const weft::frontier read = weft::decode_frontier(thread.head(), thread.blobs(), third, renames);
    BOOST_TEST(read.root->root().get(weft::state_key<std::string>{"report"}) == "words");
}

BOOST_AUTO_TEST_CASE(a_converter_that_throws_refuses_the_checkpoint_and_names_the_key)
{
    weft::graph_builder old_builder = plain_graph("abcj", "^a ab ac bj cj");
    const weft::graph before = old_builder.state(text).build();
    weft::graph_builder builder = plain_graph("abcj", "^a ab ac bj cj");
    const weft::graph after = builder.state(weft::state_key<std::int64_t>{"text"}).build();
    graph_migrations by;
    by.add(graph_migration{weft::graph_fingerprint(before), weft::graph_fingerprint(after)}.convert_key(
        "text", [](const boost::json::value&) -> boost::json::value { throw std::runtime_error{"no number in it"}; }));
    const strict_thread thread = stored(before);
    BOOST_CHECK_EXCEPTION((void)weft::decode_frontier(thread.head(), thread.blobs(), after, by), weft::error,
                          says(weft::errc::graph_changed, {"key 'text'", "no number in it"}));
}

BOOST_AUTO_TEST_SUITE_END()
