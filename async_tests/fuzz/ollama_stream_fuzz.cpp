// Fuzzes the reader of Ollama's streams and what cuts them into lines: however a stream is cut into pieces, the same
// comes of it; a reply is fit to be executed, and what failed has no tool calls.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/ollama_stream_fuzz.cpp …

#include "stream_pieces.hpp"

#include <weft/net/text/json_line_parser.hpp>

#include "model/ollama/ollama_provider.hpp"

namespace {

constexpr std::string_view pieces[] = {
    "\n",
    "\r\n",
    " ",
    "{\"model\":\"m\",\"message\":{\"content\":\"a\"},\"done\":false}\n",
    "{\"message\":{\"content\":\"b\\ud83d\"}}\n",
    "{\"message\":{\"content\":\"\\ude00\",\"thinking\":\"\\ud83d\"}}\n",
    "{\"message\":{\"thinking\":\"t\"}}\n",
    "{\"message\":{\"tool_calls\":[",
    "{\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":{\"x\":1}}}",
    "{\"function\":{\"name\":\"g\",\"arguments\":\"{\\\"y\\\":2}\"}}",
    "{\"id\":\"a\",\"function\":{\"name\":\"h\"}}",
    "{\"function\":{\"arguments\":{}}}",
    ",",
    "]}}\n",
    "{\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":3}\n",
    "{\"done\":true,\"done_reason\":\"length\",\"eval_count\":2}",
    "{\"message\":{\"content\":\"z\"},\"done\":true}\n",
    "{\"error\":\"boom\"}\n",
    "{\"error\":{\"message\":\"busy\",\"code\":503}}\n",
    "null\n",
};

std::string outcome(std::string_view body, const std::function<std::size_t()>& next_size)
{
    static const weft::secret_string key{"sk-TEST"};
    const auto reader = weft::model_detail::ollama_reader(stream_pieces::options(), key);
    weft::json_line_parser parser;
    return stream_pieces::outcome(body, parser, *reader, next_size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string body = stream_pieces::spelled_out(pieces, data, size);
    stream_pieces::check_any_pieces(body, [&](const auto& next_size) { return outcome(body, next_size); });
    return 0;
}
