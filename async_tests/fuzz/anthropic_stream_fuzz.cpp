// Fuzzes the reader of streams of the Messages API: however a stream is cut into pieces, the same comes of it; a reply
// is fit to be executed, and what failed has no tool calls.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/anthropic_stream_fuzz.cpp …

#include "stream_pieces.hpp"

#include "model/anthropic/anthropic_provider.hpp"

namespace {

constexpr std::string_view pieces[] = {
    "data: ",
    "\n\n",
    "\n",
    "event: error\n",
    "error: ",
    "data: [DONE]\n\n",
    "event: ping\ndata: {\"type\":\"ping\"}\n\n",
    "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"x\",\"usage\":{\"input_tokens\":3}}}\n\n",
    "data: {\"type\":\"content_block_start\",\"index\":",
    "data: {\"type\":\"content_block_delta\",\"index\":",
    "data: {\"type\":\"content_block_stop\",\"index\":",
    "0",
    "1",
    "2",
    "}\n\n",
    ",\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    ",\"content_block\":{\"type\":\"thinking\",\"thinking\":\"t\",\"signature\":\"s\"}}\n\n",
    ",\"content_block\":{\"type\":\"redacted_thinking\",\"data\":\"d\"}}\n\n",
    ",\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\",\"input\":{}}}\n\n",
    ",\"content_block\":{\"type\":\"tool_use\",\"name\":\"g\",\"input\":{\"k\":1}}}\n\n",
    ",\"content_block\":{\"type\":\"tool_use\"}}\n\n",
    ",\"content_block\":{\"type\":\"server_tool_use\",\"id\":\"w\",\"text\":\"\\ud83d\"}}\n\n",
    ",\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n",
    ",\"delta\":{\"type\":\"text_delta\",\"text\":\"b\\ud83d\"}}\n\n",
    ",\"delta\":{\"type\":\"text_delta\",\"text\":\"\\ude00\"}}\n\n",
    ",\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"u\\ud83d\"}}\n\n",
    ",\"delta\":{\"type\":\"signature_delta\",\"signature\":\"v\"}}\n\n",
    ",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\"}}\n\n",
    ",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"k\\\":\"}}\n\n",
    ",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"1}\"}}\n\n",
    ",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\\ud83d\"}}\n\n",
    ",\"delta\":{\"type\":\"citations_delta\",\"citation\":{\"title\":\"c\\ude00\"}}}\n\n",
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":4}}\n\n",
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"}}\n\n",
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"pause_turn\"}}\n\n",
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\","
    "\"stop_details\":{\"explanation\":\"n\"}}}\n\n",
    "data: {\"type\":\"message_stop\"}\n\n",
    "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n",
};

std::string outcome(std::string_view body, const std::function<std::size_t()>& next_size)
{
    static const weft::anthropic_settings settings;
    static const weft::secret_string key{"sk-TEST"};
    const auto reader = weft::model_detail::anthropic_reader(stream_pieces::options(), settings, key);
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
