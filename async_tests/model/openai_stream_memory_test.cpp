#include <boost/test/unit_test.hpp>

#include "stream_reader.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

// Counts what this program takes from the heap. ThreadSanitizer brings its own operators and lets nobody else.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEFT_TESTS_HEAP_IS_TAKEN 1
#endif
#endif
#ifndef WEFT_TESTS_HEAP_IS_TAKEN

namespace {

std::atomic<std::size_t> allocations{0};

void* allocate(std::size_t size)
{
    allocations.fetch_add(1, std::memory_order_relaxed);
    if (void* block = std::malloc(size ? size : 1)) return block;
    throw std::bad_alloc{};
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }

BOOST_AUTO_TEST_SUITE(openai_stream_memory_test)

BOOST_AUTO_TEST_CASE(reading_a_chunk_takes_no_memory_beyond_the_text_it_brings)
{
    const weft::openai_profile profile;
    const weft::secret_string key;
    weft::openai_stream stream{{}, profile, key};
    weft::no_sink sink;
    const std::string chunk =
        R"({"id":"chatcmpl-1","object":"chat.completion.chunk","created":1789000000,"model":"gpt-x-2026",)"
        R"("service_tier":"default","system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,)"
        R"("delta":{"content":"Hello"},)"
        R"("logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"abcdef"})";
    const weft::sse_event event{.type = "message", .data = chunk, .id = {}, .error = {}};
    stream.feed(event, sink);  // the id and the name of the model are kept

    constexpr std::size_t chunks = 4096;
    const std::size_t before = allocations.load();
    for (std::size_t i = 0; i < chunks; ++i) stream.feed(event, sink);
    const std::size_t taken = allocations.load() - before;
    // The text doubles its memory a few times; no chunk takes any by itself.
    BOOST_TEST(taken <= 16);
    BOOST_TEST(taken > 0);  // else nothing is counted
}

BOOST_AUTO_TEST_SUITE_END()

#endif
