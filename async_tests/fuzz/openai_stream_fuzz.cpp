// Fuzzes the reader of chat completion streams: however a stream is cut into pieces, the same comes of it; a reply is
// fit to be executed, and what failed has no tool calls.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/openai_stream_fuzz.cpp …

#include <weft/base/json.hpp>
#include <weft/base/utf8.hpp>

#include "model/openai/openai_provider.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>

namespace {

// Each byte of the input below 0x80 stands for one of these, each other one for itself less the high bit: pieces of
// streams, so that random inputs reach deep, with bytes in between that break them.
constexpr std::string_view pieces[] = {
    "data: ",
    "\n\n",
    "\n",
    "event: error\n",
    "error: ",
    "data: [DONE]\n\n",
    ": ping\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":[{\"type\":\"text\",\"text\":\"b\"}]}}]}\n\n",
    "data: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\"c\",\"reasoning_details\":[{\"type\":\"reasoning.text\","
    "\"text\":\"c\"}]}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\n",
    "data: {\"error\":{\"message\":\"boom\",\"code\":500}}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[",
    "]}}]}\n\n",
    ",",
    "{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}",
    "{\"index\":1,\"id\":\"a\",\"function\":{\"name\":\"g\",\"arguments\":\"{\"}}",
    "{\"index\":0,\"function\":{\"arguments\":\"{\\\"x\\\":\"}}",
    "{\"index\":0,\"function\":{\"arguments\":\"1}\"}}",
    "{\"id\":\"b\",\"function\":{\"name\":\"h\",\"arguments\":{\"y\":2}}}",
    "{\"function\":{\"name\":\"h\",\"arguments\":\"{}\"}}",
    "{\"index\":\"2\",\"function\":{\"name\":\"h\"}}",
    "{\"index\":3,\"function\":{\"arguments\":\"{}\"}}",
    "null",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"d\\ud83d\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\\ude00\",\"reasoning\":\"\\ud83d\"}}]}\n\n",
    "{\"index\":0,\"function\":{\"arguments\":\"\\ud83d\"}}",
    "{\"index\":0,\"function\":{\"arguments\":\"\\ude00\"}}",
};

std::string spelled_out(const std::uint8_t* data, std::size_t size)
{
    std::string body;
    for (const std::uint8_t* byte = data; byte != data + size; ++byte) {
        if (*byte < 0x80)
            body += pieces[*byte % std::size(pieces)];
        else
            body += static_cast<char>(*byte & 0x7f);
    }
    return body;
}

void require(bool holds)
{
    if (!holds) std::abort();
}

class logging_sink final : public weft::chat_sink {
public:
    void on_text(std::string_view piece) override { text += piece; }
    void on_reasoning(std::string_view piece) override { text.append("~").append(piece); }
    void on_tool_call(std::size_t slot, std::string_view id, std::string_view name) override
    {
        require(announced.insert(slot).second && !name.empty());
        text.append("(").append(id).append(" ").append(name);
    }
    void on_tool_arguments(std::size_t slot, std::string_view piece) override
    {
        require(announced.contains(slot));
        text.append(")").append(piece);
    }
    std::string text;
    std::set<std::size_t> announced;
};

void check_reply(const weft::chat_reply& reply)
{
    require(reply.stop != weft::stop_reason::unfinished);
    std::set<std::string> ids;
    for (const weft::tool_call& call : reply.message.tool_calls) {
        require(!call.name.empty() && !call.id.empty() && !call.arguments.empty() && ids.insert(call.id).second);
        if (reply.stop == weft::stop_reason::length) require(weft::parse_json(call.arguments).is_object());
    }
}

weft::chat_reply read(std::string_view body, weft::model_detail::reply_reader& reader, weft::chat_sink& sink,
                      const std::function<std::size_t()>& next_size)
{
    weft::sse_parser parser{{.dialect = weft::sse_dialect::llm}};
    while (!body.empty()) {
        const std::size_t size = std::min(next_size(), body.size());
        const auto piece = std::make_unique<char[]>(size);
        body.copy(piece.get(), size);
        body.remove_prefix(size);
        parser.feed({piece.get(), size});
        while (const weft::sse_event* event = parser.next())
            if (!reader.feed(*event, sink)) return reader.finish();
    }
    if (const weft::sse_event* rest = parser.finish()) reader.feed_last(*rest, sink);
    return reader.finish(parser.raw_json());
}

std::string outcome(std::string_view body, const std::function<std::size_t()>& next_size)
{
    static const weft::openai_profile profile;
    static const weft::secret_string key{"sk-TEST"};
    weft::reply_options options;
    options.limits = {.text_bytes_max = 100, .tool_calls_max = 4, .argument_bytes_max = 60};
    const auto reader = weft::model_detail::openai_reader(options, profile, key);
    logging_sink sink;
    try {
        const weft::chat_reply reply = read(body, *reader, sink, next_size);
        check_reply(reply);
        require(weft::is_valid_utf8(sink.text));
        return sink.text + boost::json::serialize(weft::to_json(reply.message));
    } catch (const weft::model_error& e) {
        require(e.partial().message.tool_calls.empty() && e.partial().stop == weft::stop_reason::unfinished);
        require(!e.is_retryable() || sink.text.empty());
        return sink.text + e.what() + e.partial().message.text();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string body = spelled_out(data, size);
    const std::string whole = outcome(body, [&] { return body.size(); });
    std::minstd_rand random{static_cast<unsigned>(size) + 1};
    require(outcome(body, [] { return std::size_t{1}; }) == whole);
    require(outcome(body, [&] { return 1 + random() % 40; }) == whole);
    return 0;
}
