#include <boost/test/unit_test.hpp>

#include "nodes.hpp"

#include <weft/graph/streaming.hpp>

using namespace weft_tests;
using weft::async_generator;
using weft::node_context;
using weft::run_request;
using weft::streaming;
using weft::task;

BOOST_AUTO_TEST_SUITE(stream_edges_test)

namespace {

constexpr weft::stream_key<std::string> draft{"draft"};
constexpr weft::stream_key<std::string> loud{"loud"};
constexpr weft::stream_key<std::int64_t> marks{"marks"};

/** What happened, in order, with the virtual second: "1 write a". */
struct journal {
    std::vector<std::string> lines;
    weft::time_point begin{};
    void add(node_context& node, const std::string& what)
    {
        const weft::time_point now = node.loop().now();
        if (lines.empty()) begin = now;
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - begin).count();
        lines.push_back(std::to_string(seconds) + " " + std::string{node.node()} + " " + what);
    }
};

async_generator<std::string> write_pieces(node_context& node, journal& to, int count)
{
    for (int i = 0; i < count; ++i) {
        std::string piece(1, static_cast<char>('a' + i));
        to.add(node, piece);
        co_yield piece;
        co_await weft::sleep_for(1s);
    }
}

async_generator<std::string> shout(node_context& node, async_generator<std::string> pieces)
{
    node.set(total, 1);
    for (;;) {
        std::string* const piece = co_await pieces.next();
        if (!piece) break;
        for (char& letter : *piece) letter = static_cast<char>(letter - 'a' + 'A');
        co_yield *piece;
    }
}

task<void> read_pieces(node_context& node, async_generator<std::string> pieces, journal& to, int most)
{
    std::string all;
    for (int i = 0; i < most; ++i) {
        const std::string* const piece = co_await pieces.next();
        if (!piece) break;
        to.add(node, *piece);
        all += *piece;
    }
    node.set(words, all);
}

task<void> fail_behind(node_context&, async_generator<std::string> pieces)
{
    co_await pieces.next();
    throw weft::error{weft::errc::model_rejected, "test", "fails on purpose"};
}

auto writes_pieces(journal& to, int count = 3)
{
    return streaming([&to, count](node_context& node) { return write_pieces(node, to, count); }, draft);
}
auto reads_pieces(journal& to, const weft::stream_key<std::string>& from = draft, int most = 100)
{
    return streaming(from, [&to, most](node_context& node, async_generator<std::string> pieces) {
        return read_pieces(node, std::move(pieces), to, most);
    });
}

/** A writer and a reader. */
weft::graph_builder pair_of(std::shared_ptr<const weft::node_body> write, std::shared_ptr<const weft::node_body> read,
                            weft::node_options of_writer = {}, weft::node_options of_reader = {})
{
    return empty_graph()
        .node("write", std::move(write), std::move(of_writer))
        .node("read", std::move(read), std::move(of_reader))
        .edge(weft::start, "write")
        .edge_stream("write", "read");
}
weft::graph_builder pair_of(journal& to, int most = 100)
{
    return pair_of(writes_pieces(to), reads_pieces(to, draft, most));
}

using lines = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_CASE(a_reader_gets_each_item_before_the_writer_goes_on)
{
    journal seen;
    const auto result = simulate(pair_of(seen).build());
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(seen.lines == (lines{"0 write a", "0 read a", "1 write b", "1 read b", "2 write c", "2 read c"}));
    BOOST_TEST(path_of(result) == "write read");
    BOOST_TEST(result.state.get(words) == lines{"abc"});
}

BOOST_AUTO_TEST_CASE(over_another_edge_it_begins_behind_the_writer_and_reads_the_whole)
{
    journal seen;
    const auto result = simulate(empty_graph()
                                     .state(draft)
                                     .node("write", writes_pieces(seen))
                                     .node("read", reads_pieces(seen))
                                     .chain({weft::start, "write", "read"})
                                     .build());
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(seen.lines == (lines{"0 write a", "1 write b", "2 write c", "3 read abc"}));
}

BOOST_AUTO_TEST_CASE(streams_pass_through_nodes_and_those_that_are_declared_are_kept)
{
    journal seen;
    const auto result = simulate(empty_graph()
                                     .state(draft)
                                     .node("write", writes_pieces(seen))
                                     .node("shout", streaming(draft, shout, loud))
                                     .node("read", reads_pieces(seen, loud))
                                     .node("after", [](node_context& node) { node.set(value, 7); })
                                     .edge(weft::start, "write")
                                     .edge_stream("write", "shout")
                                     .edge_stream("shout", "read")
                                     .edge("read", "after")
                                     .build());
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(seen.lines == (lines{"0 write a", "0 read A", "1 write b", "1 read B", "2 write c", "2 read C"}));
    BOOST_TEST(path_of(result) == "write shout read after");
    BOOST_TEST(result.state.get(draft.whole()) == "abc");
    BOOST_TEST(result.state.get(total) == 1);
    BOOST_TEST(result.state.get(value) == 7);
    BOOST_TEST(!result.state.to_json().contains("loud"));
}

BOOST_AUTO_TEST_CASE(several_readers_get_every_item)
{
    journal seen;
    const auto result = simulate(empty_graph()
                                     .state(draft)
                                     .node("write", writes_pieces(seen, 2))
                                     .node("left", reads_pieces(seen))
                                     .node("right", reads_pieces(seen))
                                     .node("early", reads_pieces(seen, draft, 1))
                                     .node("join", [] {})
                                     .edge(weft::start, "write")
                                     .edge_stream("write", "left")
                                     .edge_stream("write", "right")
                                     .edge_stream("write", "early")
                                     .chain({"left", "join"})
                                     .chain({"right", "join"})
                                     .chain({"early", "join"})
                                     .build());
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(result.state.get(words) == (lines{"ab", "ab", "a"}));
    BOOST_TEST(result.state.get(draft.whole()) == "ab");
    BOOST_TEST((result.elapsed == 2s));
}

BOOST_AUTO_TEST_CASE(the_slowest_of_several_readers_holds_the_writer)
{
    std::size_t written = 0, most_ahead = 0, read = 0;
    const auto write = [&](node_context&) -> async_generator<std::int64_t> {
        for (written = 0; written < 500;) {
            ++written;
            most_ahead = std::max(most_ahead, written - read);
            co_yield static_cast<std::int64_t>(written);
        }
    };
    const auto slow = [&](node_context&, async_generator<std::int64_t> items) -> task<void> {
        for (;;) {
            std::int64_t* const item = co_await items.next();
            if (!item) break;
            ++read;
            co_await weft::sleep_for(1ms);
        }
    };
    const auto fast = [&](node_context& node, async_generator<std::int64_t> items) -> task<void> {
        for (;;) {
            std::int64_t* const item = co_await items.next();
            if (!item) break;
            node.set(total, *item);
        }
    };
    const auto result = simulate(empty_graph()
                                     .state(marks)
                                     .node("write", streaming(write, marks))
                                     .node("slow", streaming(marks, slow))
                                     .node("fast", streaming(marks, fast))
                                     .edge(weft::start, "write")
                                     .edge_stream("write", "slow")
                                     .edge_stream("write", "fast")
                                     .build());
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(read == 500u);
    BOOST_TEST(most_ahead <= weft::stream_copies_apart_max + 2);
    BOOST_TEST(result.state.get(total) == 500 * 501 / 2);
    BOOST_TEST(result.state.get(marks.whole()).size() == 500u);
}

BOOST_AUTO_TEST_CASE(a_writer_that_fails_fails_itself_and_not_its_reader)
{
    journal seen;
    const auto write = [](node_context&) -> async_generator<std::string> {
        co_yield std::string{"a"};
        throw weft::error{weft::errc::model_rejected, "test", "fails on purpose"};
    };
    const auto result = simulate(pair_of(streaming(write, draft), reads_pieces(seen)).state(draft).node("rescue", [] {})
                                     .edge_on_failure("write", "rescue")
                                     .build());
    BOOST_TEST(path_of(result) == "write rescue");
    BOOST_TEST(seen.lines == lines{"0 read a"});
    BOOST_TEST(!result.state.find(draft.whole()));
    BOOST_TEST(!result.state.find(words));
}

BOOST_AUTO_TEST_CASE(a_reader_that_fails_fails_in_its_own_visit_and_the_whole_is_kept)
{
    journal seen;
    weft::graph_builder builder = pair_of(writes_pieces(seen), streaming(draft, fail_behind)).state(draft);
    const auto result = simulate(builder.build());
    BOOST_REQUIRE(result.why);
    BOOST_TEST(result.why->node == "read");
    BOOST_TEST((result.why->code == weft::errc::model_rejected));
    BOOST_TEST(result.state.get(draft.whole()) == "abc");
    builder.node("rescue", [] {}).edge_on_failure("read", "rescue");
    BOOST_TEST(path_of(simulate(builder.build())) == "write read rescue");
}

BOOST_AUTO_TEST_CASE(a_further_attempt_of_a_reader_reads_what_was_kept)
{
    journal seen;
    int calls = 0;
    const auto read = [&](node_context& node, async_generator<std::string> pieces) -> task<void> {
        ++calls;
        std::string all;
        for (;;) {
            std::string* const piece = co_await pieces.next();
            if (!piece) break;
            seen.add(node, *piece);
            if (calls == 1) throw weft::error{weft::errc::connection_lost, "test", "fails once"};
        }
    };
    const auto graph = pair_of(writes_pieces(seen), streaming(draft, read), {}, tries(2)).state(draft).build();
    const auto result = simulate(graph);
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(seen.lines == (lines{"0 write a", "0 read a", "1 write b", "2 write c", "4 read abc"}));
}

BOOST_AUTO_TEST_CASE(a_further_attempt_of_the_writer_begins_with_its_readers_anew)
{
    journal seen;
    int calls = 0;
    const auto write = [&](node_context& node) -> async_generator<std::string> {
        std::string piece = "a";
        seen.add(node, piece);
        co_yield piece;
        if (++calls == 1) throw weft::error{weft::errc::connection_lost, "test", "fails once"};
    };
    const auto result = simulate(pair_of(streaming(write, draft), reads_pieces(seen), tries(2)).build());
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(seen.lines == (lines{"0 write a", "0 read a", "1 write a", "1 read a"}));
    BOOST_TEST(result.state.get(words) == lines{"a"});
}

BOOST_AUTO_TEST_CASE(a_reader_that_leaves_early_ends_a_stream_that_is_not_kept)
{
    journal seen;
    const auto result = simulate(pair_of(seen, 1).build());
    BOOST_TEST(seen.lines == (lines{"0 write a", "0 read a"}));
    BOOST_TEST((result.elapsed == 0s));
    BOOST_TEST(simulate(pair_of(seen, 1).state(draft).build()).state.get(draft.whole()) == "abc");
}

BOOST_AUTO_TEST_CASE(a_stop_and_a_timeout_reach_the_writer_through_its_reader)
{
    journal seen;
    std::stop_source stop;
    const auto read = [&](node_context& node, async_generator<std::string> pieces) -> task<void> {
        for (;;) {
            std::string* const piece = co_await pieces.next();
            if (!piece) break;
            seen.add(node, *piece);
            if (*piece == "b") stop.request_stop();
        }
    };
    const auto result = simulate(pair_of(writes_pieces(seen), streaming(draft, read)).build(),
                                 run_request{}.stop(stop.get_token()));
    BOOST_TEST((result.status == weft::run_status::cancelled));
    BOOST_TEST(seen.lines.back() == "1 read b");

    const auto late = simulate(pair_of(writes_pieces(seen), reads_pieces(seen), {.timeout = 1500ms}).build());
    BOOST_REQUIRE(late.why);
    BOOST_TEST((late.why->code == weft::errc::node_timeout));
    BOOST_TEST(late.why->node == "write");
}

BOOST_AUTO_TEST_CASE(nodes_with_declared_keys_stream_too)
{
    journal seen;
    const weft::node_options of_writer{.reads = {{}}, .writes = {{"draft"}}};
    const weft::node_options of_reader{.reads = {{"draft"}}, .writes = {{"words"}}};
    weft::graph_builder builder = pair_of(writes_pieces(seen), reads_pieces(seen), of_writer, of_reader);
    const auto result = simulate(builder.state(draft).build());
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(result.state.get(words) == lines{"abc"});
}

BOOST_AUTO_TEST_CASE(what_needs_a_visit_of_its_own_is_refused_in_a_reader)
{
    journal seen;
    const auto ask = [](node_context& node, async_generator<std::string> pieces) -> task<void> {
        co_await pieces.next();
        weft::question asked{"sure?"};
        const boost::json::value answer = co_await node.interrupt(std::move(asked));
    };
    const auto result = simulate(pair_of(writes_pieces(seen), streaming(draft, ask)).build());
    BOOST_TEST(result.message().find("cannot ask while it reads a stream") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_reader_has_effects_where_none_are_written_down)
{
    journal seen;
    std::string key;
    const auto read = [&](node_context& node, async_generator<std::string> pieces) -> task<void> {
        co_await pieces.next();
        const auto say = [&](const weft::effect_context& effect) {
            key = effect.key();
            return std::int64_t{7};
        };
        const std::int64_t said = co_await node.once("say", say);
        node.set(total, said);
    };
    const auto result = simulate(pair_of(writes_pieces(seen), streaming(draft, read)).build());
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(result.state.get(total) == 7);
    BOOST_TEST(key.size() == 36u);
}

BOOST_AUTO_TEST_CASE(a_reader_over_another_edge_needs_a_stream_that_is_kept)
{
    journal seen;
    weft::graph_builder builder = empty_graph();
    builder.state(draft).node("read", reads_pieces(seen)).edge(weft::start, "read");
    BOOST_TEST(simulate(builder.build()).message().find("the stream 'draft' has left nothing") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
