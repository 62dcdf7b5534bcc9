// Fuzzes the readers of replies with vectors: what is taken has one vector for each text, all of one length and of
// finite numbers; anything else is refused, and nothing else is thrown.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/embedding_reply_fuzz.cpp …

#include <weft/base/json/json_reading.hpp>

#include "model/embedding/embedding_wires.hpp"
#include "model/wire/streamed_text.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

// Each byte of the input stands for one of these, so that random inputs become replies that are nearly right.
constexpr std::string_view pieces[] = {
    R"({"data":[)",       R"({"embeddings":[)", R"({"index":0,"embedding":[)", R"({"index":1,"embedding":[)",
    R"({"embedding":[)",  R"({"values":[)",     "[",    "]",    "}",    "]}",   "]}]}", "]]}",  ",",    "]},",
    "],",                 "1",                  "-2.5", "1e38", "1e39", "1e400", "null", R"("x")", "[]", "{}",
    R"(],"usage":{"prompt_tokens":3}})",        R"(],"prompt_eval_count":-1})",  " ",    "0.1,0.2",
};

std::string text_of(const std::uint8_t* data, std::size_t size)
{
    std::string text;
    for (std::size_t i = 0; i != size; ++i) text += pieces[data[i] % std::size(pieces)];
    return text;
}

void check(const weft::model_detail::embedding_reply& reply, const weft::model_detail::embedding_expectation& expected)
{
    if (reply.vectors.size() != expected.count) std::abort();
    for (const std::vector<float>& vector : reply.vectors) {
        if (vector.size() != reply.vectors.front().size() || vector.empty()) std::abort();
        if (vector.size() > expected.dimensions_max) std::abort();
        for (const float number : vector)
            if (!std::isfinite(number)) std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    namespace detail = weft::model_detail;
    if (size == 0) return 0;
    const detail::embedding_expectation expected{.count = 1U + data[0] % 2U, .dimensions_max = 3};
    const auto json = weft::try_parse_json(text_of(data + 1, size - 1));
    if (!json || !json->is_object()) return 0;
    for (const auto read :
         {&detail::openai_embedding_reply, &detail::gemini_embedding_reply, &detail::ollama_embedding_reply}) {
        try {
            const detail::embedding_reply reply = read(json->get_object(), expected);
            detail::check_lengths(reply.vectors, expected.dimensions);
            check(reply, expected);
        } catch (const detail::reply_refused&) {
        }
    }
    return 0;
}
