// Fuzzes what a program may write as an MCP server: however its output is cut, the same messages come out; what is read
// can be written and read again; and the bookkeeping of requests gives each answer to one caller at most. As events of
// a stream, the same messages come out of the same lines.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/json_rpc_fuzz.cpp …

#include <weft/base/json.hpp>
#include <weft/net/sse_parser.hpp>
#include <weft/tool/mcp/mcp_handshake.hpp>
#include <weft/tool/rpc/json_rpc.hpp>

#include "tool/rpc/json_rpc_lines.hpp"
#include "tool/rpc/json_rpc_requests.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>

namespace {

constexpr std::size_t line_max = 512;

// Each byte of the input below 0x80 stands for one of these, each other one for itself less the high bit.
constexpr std::string_view pieces[] = {
    "\n",
    "\r\n",
    "a banner\n",
    R"({"jsonrpc":"2.0",)",
    R"("id":0,)",
    R"("id":1,)",
    R"("id":"1",)",
    R"("id":1.0,)",
    R"("id":null,)",
    R"("result":{}})",
    R"("result":null})",
    R"("error":{"code":-32022,"message":"m","data":{"supported":["2025-11-25"]}}})",
    R"("error":{"code":-32601,"message":"n"}})",
    R"("method":"notifications/progress","params":{"progressToken":1,"progress":2}})",
    R"("method":"ping"})",
    R"("method":"a","params":[]})",
    R"("result":{"supportedVersions":["2026-07-28"],"capabilities":{}}})",
    R"("result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}})",
    "[]\n",
    "{}\n",
};

std::string spelled_out(const std::uint8_t* data, std::size_t size)
{
    std::string output;
    for (const std::uint8_t* byte = data; byte != data + size; ++byte) {
        if (*byte < 0x80)
            output += pieces[*byte % std::size(pieces)];
        else
            output += static_cast<char>(*byte & 0x7f);
    }
    return output;
}

void require(bool holds)
{
    if (!holds) std::abort();
}

class counting_caller final : public weft::json_rpc_caller {
public:
    void on_answer(weft::json_rpc_message answer) override
    {
        require(answer.is_answer() && answer.id() == weft::json_rpc_id{id} && ++answers == 1);
    }
    void on_progress(const boost::json::object&) override { require(answers == 0); }
    void on_lost(const weft::error&) override { require(answers == 0); }
    std::int64_t id = -1;
    int answers = 0;
};

/** A handshake ends after a few answers, whatever they say. */
void shake_hands(const weft::json_rpc_message& answer)
{
    using step = weft::mcp_handshake::step;
    for (const auto wire : {weft::mcp_wire::pipe, weft::mcp_wire::http}) {
        weft::mcp_handshake handshake{wire, weft::mcp_era_choice::automatic, "fuzz"};
        int rounds = 0;
        while (handshake.next() == step::discover || handshake.next() == step::initialize) {
            require(++rounds <= 4);
            if (answer.what() == weft::json_rpc_message::kind::result)
                handshake.on_result(answer.value());
            else
                handshake.on_refusal({0, answer.why()});
        }
    }
}

std::string outcome(std::string_view output, const std::function<std::size_t()>& next_size)
{
    weft::json_rpc_lines lines{line_max};
    weft::json_rpc_requests requests{2};
    counting_caller callers[2];
    for (counting_caller& caller : callers) caller.id = requests.open(caller);
    std::string log;
    while (!output.empty() && !lines.has_failed()) {
        const std::size_t size = std::min(next_size(), output.size());
        const auto piece = std::make_unique<char[]>(size);
        output.copy(piece.get(), size);
        output.remove_prefix(size);
        lines.feed({piece.get(), size});
        while (lines.next()) {
            require(lines.line().size() <= line_max && lines.line().find('\n') == std::string_view::npos);
            if (!weft::json_rpc_lines::may_be_message(lines.line())) continue;
            std::optional<weft::json_rpc_message> message;
            try {
                message = weft::json_rpc_message::parse(lines.line());
            } catch (const weft::error& e) {
                log += e.what();
            }
            if (!message) continue;
            const std::string text = message->text();
            require(weft::json_rpc_message::parse(text).text() == text && text.find('\n') == std::string::npos);
            log += text;
            if (message->method() == "notifications/progress") requests.progress(message->params());
            if (!message->is_answer()) continue;
            shake_hands(*message);
            requests.settle(std::move(*message));
        }
    }
    requests.lose(weft::error{weft::errc::connection_lost});
    require(requests.pending() == 0);
    return log += lines.has_failed() ? "failed" : "";
}

/** The messages of lines, as far as they are any. */
template <class Next>
std::string messages_of(Next next)
{
    std::string log;
    while (const std::optional<std::string_view> line = next()) {
        if (!weft::json_rpc_lines::may_be_message(*line)) continue;
        try {
            log += weft::json_rpc_message::parse(*line).text() + "\n";
        } catch (const weft::error&) {
            log += "refused\n";
        }
    }
    return log;
}

/** Each line as an event, in both framings. A lone carriage return ends a line of events only: it is left out. */
void compare_framings(std::string output)
{
    std::erase(output, '\r');
    std::string body;
    for (std::size_t begin = 0; begin < output.size();) {
        const std::size_t end = std::min(output.find('\n', begin), output.size());
        if (end - begin > line_max) return;
        body.append("event: message\ndata: ").append(output, begin, end - begin).append("\n\n");
        begin = end + 1;
    }
    if (!output.ends_with('\n')) output += '\n';
    weft::json_rpc_lines lines{line_max};
    lines.feed(output);
    weft::sse_parser events;
    events.feed(body);
    const auto next_line = [&] { return lines.next() ? std::optional{lines.line()} : std::nullopt; };
    const auto next_event = [&]() -> std::optional<std::string_view> {
        const weft::sse_event* event = events.next();
        return event ? std::optional{event->data} : std::nullopt;
    };
    require(messages_of(next_line) == messages_of(next_event));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string output = spelled_out(data, size);
    const std::string whole = outcome(output, [&] { return output.size(); });
    std::minstd_rand random{static_cast<unsigned>(size) + 1};
    require(outcome(output, [] { return std::size_t{1}; }) == whole);
    require(outcome(output, [&] { return 1 + random() % 40; }) == whole);
    compare_framings(output);
    return 0;
}
