// Fuzzes the reader of Gemini's streams: however a stream is cut into pieces, the same comes of it; a reply is fit to
// be executed, and what failed has no tool calls.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/gemini_stream_fuzz.cpp …

#include "stream_pieces.hpp"

#include "model/gemini/gemini_provider.hpp"

namespace {

constexpr std::string_view pieces[] = {
    "data: ",
    "data: [",
    "]\n\n",
    "\r\n\r\n",
    "\n",
    "event: error\n",
    "error: ",
    "data: [DONE]\n\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[",
    "{\"candidates\":[{\"content\":{\"parts\":[",
    "]}}]}",
    "]}}]}\r\n\r\n",
    "]},\"finishReason\":\"STOP\",\"index\":0}]}\n\n",
    "]},\"finishReason\":\"MAX_TOKENS\"}]}\n\n",
    "]},\"finishReason\":\"OTHER\"}]}\n\n",
    "]},\"finishReason\":\"SAFETY\",\"index\":1}],\"responseId\":\"r\"}\n\n",
    ",",
    "{\"text\":\"a\"}",
    "{\"text\":\"\"}",
    "{\"text\":\"b\\ud83d\"}",
    "{\"text\":\"\\ude00\",\"thought\":false}",
    "{\"text\":\"t\",\"thought\":true}",
    "{\"text\":\"s\",\"thoughtSignature\":\"g\"}",
    "{\"text\":\"\",\"thoughtSignature\":\"h\"}",
    "{\"functionCall\":{\"name\":\"f\",\"args\":{\"k\":\"\\ud83d\"}}}",
    "{\"functionCall\":{\"id\":\"c\",\"name\":\"g\"},\"thoughtSignature\":\"g\"}",
    "{\"functionCall\":{\"args\":{}}}",
    "{\"functionCall\":{}}",
    "{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"aGk=\"}}",
    "{\"executableCode\":{\"code\":\"\\ude00\"}}",
    "data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}\n\n",
    "data: {\"usageMetadata\":{\"promptTokenCount\":4,\"candidatesTokenCount\":2}}\n\n",
    "data: {\"error\":{\"code\":503,\"message\":\"busy\",\"status\":\"UNAVAILABLE\"}}\n\n",
    "{\"error\":{\"code\":429,\"message\":\"slow\"}}\n",
};

std::string outcome(std::string_view body, const std::function<std::size_t()>& next_size)
{
    static const weft::gemini_settings settings;
    static const weft::secret_string key{"sk-TEST"};
    const auto reader = weft::model_detail::gemini_reader(stream_pieces::options(), settings, key);
    weft::sse_parser parser{{.dialect = weft::sse_dialect::llm}};
    return stream_pieces::outcome(body, parser, *reader, next_size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string body = stream_pieces::spelled_out(pieces, data, size);
    stream_pieces::check_any_pieces(body, [&](const auto& next_size) { return outcome(body, next_size); });
    return 0;
}
