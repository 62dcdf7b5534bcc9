#include <boost/test/unit_test.hpp>

#include "heap_count.hpp"
#include "model/anthropic/anthropic_provider.hpp"
#include "model/gemini/gemini_provider.hpp"
#include "model/openai/openai_provider.hpp"
#include "model/stream_reader.hpp"

#ifndef WEFT_TESTS_HEAP_IS_TAKEN

BOOST_AUTO_TEST_SUITE(openai_stream_memory_test)

namespace {

/** How often memory is taken for so many of the same event, after one that may take what it likes. */
std::size_t taken_by(weft::model_detail::reply_reader& reader, std::string_view data)
{
    weft::no_sink sink;
    const weft::sse_event event{.type = "message", .data = data, .id = {}, .error = {}};
    reader.feed(event, sink);
    const std::size_t before = heap_count::allocations;
    for (std::size_t i = 0; i < 4096; ++i) reader.feed(event, sink);
    return heap_count::allocations - before;
}

}  // namespace

BOOST_AUTO_TEST_CASE(reading_a_chunk_takes_no_memory_beyond_the_text_it_brings)
{
    const weft::openai_profile profile;
    const weft::secret_string key;
    const auto stream = weft::model_detail::openai_reader({}, profile, key);
    weft::no_sink sink;
    const std::string chunk =
        R"({"id":"chatcmpl-1","object":"chat.completion.chunk","created":1789000000,"model":"gpt-x-2026",)"
        R"("service_tier":"default","system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,)"
        R"("delta":{"content":"Hello"},)"
        R"("logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"abcdef"})";
    const weft::sse_event event{.type = "message", .data = chunk, .id = {}, .error = {}};
    stream->feed(event, sink);  // the id and the name of the model are kept

    constexpr std::size_t chunks = 4096;
    const std::size_t before = heap_count::allocations;
    for (std::size_t i = 0; i < chunks; ++i) stream->feed(event, sink);
    const std::size_t taken = heap_count::allocations - before;
    // The text doubles its memory a few times; no chunk takes any by itself.
    BOOST_TEST(taken <= 16);
    BOOST_TEST(taken > 0);  // else nothing is counted
}

BOOST_AUTO_TEST_CASE(nor_does_reading_a_delta_of_anthropic)
{
    const weft::anthropic_settings settings;
    const weft::secret_string key;
    const auto stream = weft::model_detail::anthropic_reader({}, settings, key);
    weft::no_sink sink;
    const std::string_view begins =
        R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})";
    stream->feed({.type = "message", .data = begins, .id = {}, .error = {}}, sink);
    const std::size_t taken = taken_by(
        *stream, R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}})");
    BOOST_TEST(taken <= 16);
    BOOST_TEST(taken > 0);
}

BOOST_AUTO_TEST_CASE(nor_does_reading_a_chunk_of_gemini)
{
    const weft::gemini_settings settings;
    const weft::secret_string key;
    const auto stream = weft::model_detail::gemini_reader({}, settings, key);
    const std::size_t taken = taken_by(
        *stream, R"({"candidates":[{"content":{"parts":[{"text":"Hello"}],"role":"model"},"index":0}],)"
                R"("usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":2,"totalTokenCount":16,)"
                R"("promptTokensDetails":[{"modality":"TEXT","tokenCount":4}]},"modelVersion":"gemini-x-001",)"
                R"("responseId":"r1"})");
    BOOST_TEST(taken <= 16);
    BOOST_TEST(taken > 0);
}

BOOST_AUTO_TEST_SUITE_END()

#endif
