#include <boost/test/unit_test.hpp>

#include "durable_cases.hpp"

#include <weft/async/sleep.hpp>
#include <weft/graph/streaming.hpp>
#include <weft/testing/async_test_case.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace weft_tests;
using weft::async_generator;
using weft::run_status;
using weft::streaming;
using weft::task;

BOOST_AUTO_TEST_SUITE(durable_streams_test)

namespace {

constexpr weft::stream_key<std::string> draft{"draft"};

struct seen_pieces {
    int writers = 0;
    std::vector<std::string> read;
};

async_generator<std::string> write_two(weft::node_context&, std::shared_ptr<seen_pieces> seen)
{
    ++seen->writers;
    for (std::string piece : {"a", "b"}) {
        co_yield piece;
        co_await weft::sleep_for(1ms);
    }
}

task<void> read_into(weft::node_context& node, async_generator<std::string> pieces, std::shared_ptr<seen_pieces> seen)
{
    for (;;) {
        std::string* const piece = co_await pieces.next();
        if (!piece) break;
        seen->read.push_back(std::string{node.node()} + " " + *piece);
        node.set(total, 1);
    }
}

/** A writer, and readers that pause before their visits. */
weft::graph pausing_readers(std::shared_ptr<seen_pieces> seen, std::vector<std::string> readers)
{
    const auto write = [seen](weft::node_context& node) { return write_two(node, seen); };
    const auto read = [seen](weft::node_context& node, async_generator<std::string> pieces) {
        return read_into(node, std::move(pieces), seen);
    };
    weft::node_options pausing;
    pausing.pauses = weft::pause_point::before;
    weft::graph_builder builder{"pipe"};
    builder.state(value, other, total, words, draft).node("w", streaming(write, draft)).edge(weft::start, "w");
    for (const std::string& reader : readers)
        builder.node(reader, streaming(draft, read), pausing).edge_stream("w", reader);
    return builder.build();
}

}  // namespace

WEFT_ASYNC_TEST_CASE(a_run_that_is_resumed_between_writer_and_reader_reads_the_whole_that_was_kept)
{
    const auto seen = std::make_shared<seen_pieces>();
    weft::memory_store store{test_key()};
    const weft::thread_key key{"t"};
    {
        weft::durable_engine first{store, graphs_of(pausing_readers(seen, {"r"}))};
        co_await first.open();
        const weft::run_result paused = co_await first.run(in_thread("t"));
        BOOST_TEST((paused.status == run_status::paused));
        BOOST_TEST(paused.state.get(draft.whole()) == "ab");
    }
    weft::durable_engine second{store, graphs_of(pausing_readers(seen, {"r"}))};
    co_await second.open();
    const weft::run_result result = co_await second.resume(key);
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(seen->writers == 1);
    BOOST_TEST(seen->read == (std::vector<std::string>{"r a", "r b", "r ab"}));
    BOOST_TEST(result.state.get(total) == 1);
}

WEFT_ASYNC_TEST_CASE(branches_that_read_a_stream_are_kept_and_resumed)
{
    const auto seen = std::make_shared<seen_pieces>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(pausing_readers(seen, {"r", "s"}))};
    co_await durable.open();
    const weft::thread_key key{"t"};
    weft::run_result result = co_await durable.run(in_thread("t"));
    for (int i = 0; i < 4 && result.status == run_status::paused; ++i) {
        weft::run_result next = co_await durable.resume(key);
        result = std::move(next);
    }
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(seen->writers == 1);
    BOOST_TEST(seen->read.size() == 6u);
    BOOST_TEST(result.state.get(total) == 2);
}

BOOST_AUTO_TEST_SUITE_END()
