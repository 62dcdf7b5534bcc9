// Fuzzes what a client may say to an MCP server, of either era: each request gets one answer of its id, or none if it
// was cancelled; what a client brings back counts only as it was written; nothing is read twice in two ways.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/mcp_server_fuzz.cpp …

#include "serve/mcp/call_notes.hpp"
#include "serve/mcp/question_forms.hpp"
#include "tool/mcp_server/mcp_core.hpp"
#include "tool/mcp_server/mcp_http_check.hpp"

#include <weft/base/error.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using boost::json::object;
using namespace weft::mcp_detail;

constexpr std::size_t line_max = 4096;

// Each byte of the input from 0x80 on stands for one of these, each other one for itself.
constexpr std::string_view phrases[] = {
    R"({"jsonrpc":"2.0","id":1,"method":")",
    R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})",
    R"({"jsonrpc":"2.0","id":0,"result":{"action":"accept","content":{"x":"y"}}})",
    R"(initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}}}})",
    R"(tools/call","params":{"name":"ask","arguments":{}}})",
    R"(tools/call","params":{"name":"say","arguments":{"x":"y"},)",
    R"(tools/list","params":{"cursor":"1"}})",
    R"(resources/read","params":{"uri":"test://a/b"}})",
    R"(resources/subscribe","params":{"uri":"test://a/b"}})",
    R"(prompts/get","params":{"name":"p","arguments":{"who":"x"}}})",
    R"(logging/setLevel","params":{"level":"error"}})",
    R"(subscriptions/listen","params":{"notifications":{"toolsListChanged":true},)",
    R"(server/discover","params":{)",
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":)",
    R"({"elicitation":{}}}}})",
    R"({}}}})",
    R"("inputResponses":{"question-1":{"action":"accept"}},"requestState":"a.b",)",
    R"("progressToken":1)",
    "\n",
};

std::string spelled(const std::uint8_t* data, std::size_t size)
{
    std::string text;
    for (const std::uint8_t* byte = data; byte != data + size; ++byte) {
        if (*byte < 0x80) text += static_cast<char>(*byte);
        else text += phrases[*byte % std::size(phrases)];
    }
    return text;
}

void require(bool holds)
{
    if (!holds) std::abort();
}

/** Hears what a call says, and that it ends once. */
class hearing final : public outlet {
public:
    explicit hearing(weft::json_rpc_id id) : id_{std::move(id)} {}

    void send(std::string message, std::string, bool) override
    {
        require(!has_ended);
        require(!weft::json_rpc_message::parse(message).is_answer());
    }
    void finish(const weft::json_rpc_message& answer) override
    {
        require(!std::exchange(has_ended, true));
        const weft::json_rpc_message read = weft::json_rpc_message::parse(answer.text());
        require(read.is_answer() && read.id() == id_);
    }
    void abort() override { require(!std::exchange(has_ended, true)); }

    bool has_ended = false;

private:
    weft::json_rpc_id id_;
};

weft::task<weft::mcp_call_result> ask(weft::mcp_server_context& context, object)
{
    object schema{{"type", "object"}};
    const object said = co_await context.elicit("?", std::move(schema));
    co_return weft::mcp_call_result::of_text(boost::json::serialize(said));
}

weft::task<weft::mcp_call_result> say(weft::mcp_server_context& context, object given)
{
    context.progress(1);
    context.log("info", given);
    co_return weft::mcp_call_result::of_text("said");
}

weft::task<std::vector<weft::mcp_resource_content>> read(weft::mcp_server_context&, std::string uri, object)
{
    weft::mcp_resource_content content;
    content.uri = std::move(uri);
    co_return std::vector<weft::mcp_resource_content>{std::move(content)};
}

weft::task<weft::mcp_prompt_text> prompt(weft::mcp_server_context&, object) { co_return weft::mcp_prompt_text{}; }

void offer_all(mcp_offer& offer)
{
    for (const auto& [name, function] : {std::pair{"ask", &ask}, std::pair{"say", &say}}) {
        weft::mcp_tool tool;
        tool.name = name;
        tool.input_schema = object{{"type", "object"}};
        offer.add(std::move(tool), function);
    }
    weft::mcp_resource_template family;
    family.uri_template = "test://{a}/{b}";
    offer.add(std::move(family), read);
    weft::mcp_prompt greeting;
    greeting.name = "p";
    greeting.arguments.push_back({"who", "", true});
    offer.add(std::move(greeting), prompt);
}

/** A client at the other end of a pipe, without the pipe. */
class fuzzed_session {
public:
    fuzzed_session()
    {
        core_->bind(weft::serial_loop::of(io_));
        offer_all(core_->offer);
        session_->is_open = true;
        core_->sessions.adopt(session_);
    }
    ~fuzzed_session()
    {
        session_->end();
        settle();
        for (const auto& each : calls_) require(each->has_ended || core_->listeners.empty());
    }

    void take(std::string_view line)
    {
        try {
            take_message(weft::json_rpc_message::parse(line));
        } catch (const weft::error& e) {
            require(e.code() == weft::errc::invalid_json || e.code() == weft::errc::invalid_mcp_message);
        }
        settle();
    }

private:
    void take_message(weft::json_rpc_message message)
    {
        if (message.what() != weft::json_rpc_message::kind::request) {
            start(core_->take(session_, std::move(message)));
            return;
        }
        try {
            if (message.method() == "initialize") session_->client = read_initialize(message.params());
        } catch (const weft::mcp_rejection&) {
            return;
        }
        const auto out = std::make_shared<hearing>(*message.id());
        served_call::origin from{{}, {}, session_, out};
        if (era_of(message) == weft::mcp_era::modern) {
            const modern_request wanted = read_modern_request(message, nullptr);
            if (wanted.refused) return;
            from.client = wanted.client;
        }
        calls_.push_back(out);
        core_->begin(std::move(message), std::move(from));
    }
    void start(weft::task<bool> taking)
    {
        weft::stop_scope stop;
        weft::task_context context{&weft::serial_loop::of(io_), &stop};
        require(taking.start(context, [](void*) {}, nullptr));  // without hooks it never waits
    }
    void settle()
    {
        io_.restart();
        io_.poll();
    }

    boost::asio::io_context io_{1};
    std::shared_ptr<mcp_core> core_ = std::make_shared<mcp_core>(weft::mcp_server_options{});
    std::shared_ptr<server_session> session_ = std::make_shared<server_session>();
    std::vector<std::shared_ptr<hearing>> calls_;
};

void read_what_clients_bring(std::string_view text)
{
    const request_state states{weft::secret_string{"key"}};
    require(!states.open(text, "bound", weft::clock::system_time_point{}));
    if (const auto named = weft::serve_detail::question_named(text))
        require(weft::serve_detail::question_named(weft::serve_detail::question_id(named->run, named->address))
                    ->address == named->address);
    weft::question asked{"?", weft::question_kind::approval};
    try {
        const object said{{"action", "accept"}, {"content", {{"answer", text}}}};
        require(!weft::serve_detail::read_form(asked, said).answer);  // a text is no approval
    } catch (const weft::http_error& refused) {
        require(refused.status() == 422);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size > line_max) return 0;
    const std::string text = spelled(data, size);
    read_what_clients_bring(text);
    fuzzed_session session;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        session.take(std::string_view{text}.substr(at, end - at));
        at = end + 1;
    }
    return 0;
}
