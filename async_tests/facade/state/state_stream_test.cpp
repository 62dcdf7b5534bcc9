#include <boost/test/unit_test.hpp>

#include <weft/base/random.hpp>
#include <weft/base/system/id_generator.hpp>
#include <weft/facade/state/state_stream.hpp>
#include <weft/testing/manual_clock.hpp>
#include <weft/testing/simulation.hpp>

#include <set>
#include <stdexcept>

using weft::stream_chunk;
using weft::stream_chunk_kind;
using weft::stream_granularity;
using weft::testing::simulation;

BOOST_AUTO_TEST_SUITE(state_stream_test)

namespace {

inline constexpr weft::state_key<std::string> stream_note{"note"};

std::string greet(weft::node_context& node)
{
    node.emit("Hel");
    node.emit("lo.");
    node.set(stream_note, std::string{"greeted"});
    return "Hello.";
}

weft::compiled_state_graph two_nodes(weft::state_compile_options options = {})
{
    return weft::state_graph{"talk", stream_note}
        .add_node("greet", greet)
        .add_node("part", [] { return "Bye."; })
        .set_entry_point("greet")
        .add_edge("greet", "part")
        .add_edge("part", std::string{weft::end})
        .compile(std::move(options));
}

struct streamed {
    std::vector<stream_chunk> chunks;
    weft::state_result result;

    [[nodiscard]] std::set<stream_chunk_kind> kinds() const
    {
        std::set<stream_chunk_kind> all;
        for (const stream_chunk& one : chunks) all.insert(one.kind);
        return all;
    }
    [[nodiscard]] std::string messages(bool deltas) const
    {
        std::string text;
        for (const stream_chunk& one : chunks)
            if (one.message && one.is_delta == deltas) text += one.message->text() + "|";
        return text;
    }
};

weft::state_request hello(std::string thread = "t")
{
    return weft::state_request{{weft::message::user("Hi")}}.thread(std::move(thread));
}

streamed stream_of(const weft::compiled_state_graph& graph, stream_granularity how,
                   weft::state_request request = hello())
{
    streamed seen;
    simulation sim{1};
    seen.result = sim.run(weft::stream_state(graph, std::move(request), how,
                                             [&seen](const stream_chunk& chunk) { seen.chunks.push_back(chunk); }));
    return seen;
}

using kinds = std::set<stream_chunk_kind>;

}  // namespace

BOOST_AUTO_TEST_CASE(PYA_8_low_tells_messages_and_the_updates_at_the_end)
{
    const streamed seen = stream_of(two_nodes(), stream_granularity::low);
    BOOST_TEST((seen.kinds() == kinds{stream_chunk_kind::message, stream_chunk_kind::updates}));
    BOOST_TEST(seen.messages(true) == "Hel|lo.|");
    BOOST_TEST(seen.messages(false) == "Hello.|Bye.|");
    BOOST_REQUIRE((seen.chunks.back().kind == stream_chunk_kind::updates));
    BOOST_TEST(seen.chunks.back().text == "completed");
    BOOST_TEST(seen.chunks.back().state->get(stream_note) == "greeted");
    BOOST_TEST(seen.chunks.front().node == "greet");
    for (const stream_chunk& one : seen.chunks) BOOST_TEST(one.thread_id == "t");
}

BOOST_AUTO_TEST_CASE(PYA_8_partial_tells_the_conversation_too_and_full_the_whole_state)
{
    for (const stream_granularity how : {stream_granularity::partial, stream_granularity::full}) {
        const streamed seen = stream_of(two_nodes(), how);
        BOOST_TEST((seen.kinds() == kinds{stream_chunk_kind::message, stream_chunk_kind::state,
                                          stream_chunk_kind::updates}));
        const stream_chunk* last = nullptr;
        for (const stream_chunk& one : seen.chunks)
            if (one.kind == stream_chunk_kind::state) last = &one;
        BOOST_REQUIRE(last);
        BOOST_TEST(last->state->get(weft::context_key).size() == 3u);
        BOOST_TEST((last->state->find(stream_note) != nullptr) == (how == stream_granularity::full));
    }
}

BOOST_AUTO_TEST_CASE(PYA_8_a_streamed_run_ends_as_one_that_is_not)
{
    simulation sim{1};
    const weft::state_result invoked = sim.run(two_nodes().invoke(hello()));
    for (const stream_granularity how :
         {stream_granularity::low, stream_granularity::partial, stream_granularity::full}) {
        const streamed seen = stream_of(two_nodes(), how);
        BOOST_TEST((seen.result.state.to_json() == invoked.state.to_json()));
        BOOST_TEST((seen.result.path == invoked.path));
        BOOST_TEST((seen.chunks.back().state->to_json() == invoked.state.to_json()));
    }
}

BOOST_AUTO_TEST_CASE(PYA_8_a_thread_that_goes_on_does_not_tell_what_was_told)
{
    const weft::compiled_state_graph graph = two_nodes();
    (void)stream_of(graph, stream_granularity::low);
    const streamed again = stream_of(graph, stream_granularity::low);
    BOOST_TEST(again.messages(false) == "Hello.|Bye.|");
    BOOST_TEST(again.result.context().size() == 6u);
}

BOOST_AUTO_TEST_CASE(PYA_8_an_interrupt_is_told_by_the_last_chunk)
{
    weft::state_compile_options options;
    options.interrupt_before = {"part"};
    const weft::compiled_state_graph graph = two_nodes(options);
    const streamed first = stream_of(graph, stream_granularity::low);
    BOOST_TEST(first.chunks.back().text == "interrupted_before");
    BOOST_TEST(first.messages(false) == "Hello.|");
    const streamed second = stream_of(graph, stream_granularity::low, weft::state_request{}.thread("t"));
    BOOST_TEST(second.messages(false) == "Bye.|");
    BOOST_TEST(second.chunks.back().text == "completed");
}

BOOST_AUTO_TEST_CASE(PYA_8_a_failure_is_a_chunk_and_then_thrown)
{
    const weft::compiled_state_graph graph = weft::state_graph{"bad"}
                                                 .add_node("n", []() -> std::string { throw std::runtime_error{"oh"}; })
                                                 .set_entry_point("n")
                                                 .compile();
    std::vector<stream_chunk> chunks;
    simulation sim{1};
    BOOST_CHECK_THROW((void)sim.run(weft::stream_state(graph, hello(), stream_granularity::low,
                                                       [&](const stream_chunk& one) { chunks.push_back(one); })),
                      weft::state_graph_error);
    BOOST_REQUIRE(!chunks.empty());
    BOOST_TEST((chunks.back().kind == stream_chunk_kind::error));
    BOOST_TEST(chunks.back().text.find("oh") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_the_listener_throws_ends_the_run)
{
    int calls = 0;
    simulation sim{1};
    const auto refuses = [&calls](const stream_chunk&) {
        ++calls;
        throw std::runtime_error{"enough"};
    };
    const auto is_it = [](const std::runtime_error& e) { return e.what() == std::string{"enough"}; };
    BOOST_CHECK_EXCEPTION((void)sim.run(weft::stream_state(two_nodes(), hello(), stream_granularity::full, refuses)),
                          std::runtime_error, is_it);
    BOOST_TEST(calls == 1);
}

BOOST_AUTO_TEST_CASE(PYA_16_threads_are_named_by_the_generator_of_the_graph)
{
    weft::testing::manual_clock clock;
    weft::random_source random{1};
    weft::state_compile_options options;
    options.thread_ids = weft::make_id_generator(weft::id_form::short_text, clock, random);
    const weft::compiled_state_graph graph = two_nodes(options);
    const streamed first = stream_of(graph, stream_granularity::low, hello(""));
    BOOST_TEST(first.result.thread_id.size() == 8u);
    BOOST_TEST(first.chunks.front().thread_id == first.result.thread_id);
    BOOST_TEST(stream_of(graph, stream_granularity::low, hello("")).result.thread_id != first.result.thread_id);
}

BOOST_AUTO_TEST_SUITE_END()
