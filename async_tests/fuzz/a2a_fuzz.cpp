// Fuzzes what clients of A2A send, in both dialects: each text is a call that is read, or is refused with a code of the
// protocol and the shape of both bindings. What other agents send is read, or refused as an answer that is none.

#include "agent/remote/a2a_progress.hpp"
#include "agent/remote/a2a_wire.hpp"
#include "serve/a2a/a2a_answers.hpp"
#include "serve/a2a/a2a_fault.hpp"
#include "serve/a2a/a2a_request.hpp"
#include "stream_pieces.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/net/server/http_error.hpp>

#include <exception>

namespace {

using namespace weft::serve_detail;
using boost::json::object;
using boost::json::value;
using stream_pieces::require;

constexpr std::string_view pieces[] = {
    "{", "}", "[", "]", ",", ":", "null", "7", "true", "\"a\"", R"({"jsonrpc":"2.0","id":1,"method":"SendMessage",)",
    R"({"jsonrpc":"2.0","id":"a","method":"message/send",)", R"("method":"tasks/pushNotificationConfig/set")",
    R"("params":{)", R"("message":{"messageId":"m","role":"ROLE_USER",)", R"("kind":"message","role":"user",)",
    R"("parts":[)", R"({"text":"a"})", R"({"kind":"text","text":"a"})", R"({"data":{"answers":{"q":true}}})",
    R"({"kind":"file","file":{"bytes":"aGk=","mimeType":"image/png"}})", R"({"raw":"aGk=","mediaType":"text/plain"})",
    R"("contextId":"c")", R"("taskId":"t")", R"("referenceTaskIds":["r"])", R"("metadata":{"questionId":"q"})",
    R"("configuration":{"blocking":true,"historyLength":1})", R"("taskPushNotificationConfig":{"url":"https://x"})",
    R"("pageSize":10)", R"("status":"TASK_STATE_WORKING")", R"("statusTimestampAfter":"2026-11-27T10:00:00Z")",
    R"({"task":{"id":"t","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[)", R"({"artifactId":"a","parts":[)",
    R"({"statusUpdate":{"status":{"state":"working"}}})", R"({"artifactUpdate":{"append":true,"artifact":)",
    R"({"name":"a","supportedInterfaces":[{"url":"https://x","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]})",
    "}}", "]}",
};

/** What a client is told of a refusal fits both bindings. */
void check_refusal(const std::exception_ptr& thrown)
{
    const refusal why = refusal_for(thrown);
    require(!why.is_of_server && !why.message.empty());
    int status = 0;
    require(a2a_rpc_error(why).at("code").as_int64() < 0);
    require(!a2a_http_error(why, status).at("error").at("details").as_array().empty());
    require(status >= 400 && status < 500);
}

template <class Read>
void check_reading(const Read& read)
{
    try {
        read();
    } catch (...) {
        check_refusal(std::current_exception());
    }
}

void check_call(const value& body)
{
    const value id = a2a_rpc_id(body);
    require(id.is_null() || id.is_string() || id.is_int64() || id.is_uint64());
    check_reading([&] {
        const a2a_rpc_call call = read_a2a_rpc(body);
        require(call.id == id && !call.method.empty());
    });
}

void check_params(const object& params)
{
    for (const a2a_dialect dialect : {a2a_dialect::v1, a2a_dialect::v03})
        check_reading([&] {
            const a2a_send send = read_a2a_send(params, dialect);
            require(!send.message.id.empty() && !send.message.blocks.empty());
            const std::vector<weft::open_question> open{{"q", weft::question::approval("?"), {}}};
            require(a2a_answers(send.message, open).size() == 1);
        });
    check_reading([&] { require(read_a2a_list(params).page_size <= 100); });
    check_reading([&] { require(!read_a2a_push(fields_of<a2a_push_fields>(), params).url.empty()); });
}

void check_agent(const object& item)
{
    std::string told;
    weft::agent_detail::a2a_progress progress{[&](std::string_view kind, std::string_view text) {
        if (kind == "retract") told.clear();
        if (kind == "output") told.append(text);
    }};
    progress.take(item);
    progress.take(item);
    const object left = progress.outcome();
    require(left.contains("output") && left.contains("state"));
    try {
        (void)weft::agent_detail::read_a2a_card(item, "fuzz");
    } catch (const weft::error& e) {
        require(!std::string_view{e.what()}.empty());
    }
}

void check(std::string_view text)
{
    value body;
    try {
        body = weft::parse_json(text);
    } catch (const weft::error&) {
        return;
    }
    check_call(body);
    const object* const members = body.if_object();
    if (!members) return;
    check_params(*members);
    if (const value* const params = members->if_contains("params"); params && params->is_object())
        check_params(params->get_object());
    check_agent(*members);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    check({reinterpret_cast<const char*>(data), size});
    check(stream_pieces::spelled_out(pieces, data, size));
    return 0;
}
