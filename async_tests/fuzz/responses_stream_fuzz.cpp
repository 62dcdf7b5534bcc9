// Fuzzes the reader of streams of the Responses API: however a stream is cut into pieces, the same comes of it; a reply
// is fit to be executed, and what failed has no tool calls.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/responses_stream_fuzz.cpp …

#include "stream_pieces.hpp"

#include "model/responses/responses_provider.hpp"

namespace {

constexpr std::string_view pieces[] = {
    "data: ",
    "\n\n",
    "\n",
    "event: error\n",
    "error: ",
    "data: [DONE]\n\n",
    "data: {\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"model\":\"m\"}}\n\n",
    "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"a\"}\n\n",
    "data: {\"type\":\"response.output_text.delta\",\"output_index\":1,\"delta\":\"b\\ud83d\"}\n\n",
    "data: {\"type\":\"response.output_text.delta\",\"output_index\":1,\"delta\":\"\\ude00\"}\n\n",
    "data: {\"type\":\"response.output_text.delta\",\"delta\":\"c\"}\n\n",
    "data: {\"type\":\"response.refusal.delta\",\"output_index\":0,\"delta\":\"no\"}\n\n",
    "data: {\"type\":\"response.reasoning_summary_text.delta\",\"output_index\":2,"
    "\"summary_index\":0,\"delta\":\"s\"}\n\n",
    "data: {\"type\":\"response.reasoning_text.delta\",\"output_index\":2,\"content_index\":1,"
    "\"delta\":\"t\\ud83d\"}\n\n",
    "data: {\"type\":\"response.output_item.added\",\"output_index\":",
    "data: {\"type\":\"response.output_item.done\",\"output_index\":",
    "0,\"item\":",
    "3,\"item\":",
    "}\n\n",
    "{\"type\":\"function_call\",\"call_id\":\"x\",\"name\":\"f\",\"arguments\":\"\",\"status\":\"in_progress\"}",
    "{\"type\":\"function_call\",\"call_id\":\"y\",\"name\":\"g\",\"arguments\":\"{\\\"k\\\":1}\","
    "\"status\":\"completed\"}",
    "{\"type\":\"function_call\",\"arguments\":\"{\"}",
    "{\"type\":\"custom_tool_call\",\"call_id\":\"x\",\"name\":\"h\",\"input\":\"\"}",
    "{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"ab\"},"
    "{\"type\":\"refusal\",\"refusal\":\"n\"}]}",
    "{\"type\":\"message\",\"phase\":\"final_answer\",\"content\":\"a\"}",
    "{\"type\":\"reasoning\",\"summary\":[{\"text\":\"s\"}],\"encrypted_content\":\"E\"}",
    "{\"type\":\"web_search_call\"}",
    "data: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":3,\"delta\":\"{\\\"k\\\":\"}\n\n",
    "data: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":3,\"delta\":\"1}\"}\n\n",
    "data: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":3,\"delta\":\"\\ud83d\"}\n\n",
    "data: {\"type\":\"response.function_call_arguments.done\",\"output_index\":3,\"arguments\":\"{\\\"k\\\":1}\"}\n\n",
    "data: {\"type\":\"response.custom_tool_call_input.delta\",\"output_index\":0,\"delta\":\"ls\"}\n\n",
    "data: {\"type\":\"response.completed\",\"response\":{\"output\":[",
    "data: {\"type\":\"response.incomplete\",\"response\":{\"incomplete_details\":{\"reason\":\"max_output_tokens\"},"
    "\"output\":[",
    "]}}\n\n",
    ",",
    "data: {\"type\":\"response.failed\",\"response\":{\"error\":{\"code\":\"server_error\","
    "\"message\":\"boom\"}}}\n\n",
    "data: {\"type\":\"error\",\"code\":\"rate_limit_exceeded\",\"message\":\"slow\"}\n\n",
};

std::string outcome(std::string_view body, const std::function<std::size_t()>& next_size)
{
    static const weft::responses_settings settings;
    static const weft::secret_string key{"sk-TEST"};
    const auto reader = weft::model_detail::responses_reader(stream_pieces::options(), settings, key);
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
