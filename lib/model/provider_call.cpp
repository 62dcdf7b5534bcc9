#include "provider_call.hpp"

#include <weft/async/serial_loop.hpp>
#include <weft/base/error.hpp>
#include <weft/model/model_error.hpp>
#include <weft/net/http_response.hpp>
#include <weft/net/json_line_parser.hpp>

#include <optional>
#include <string>
#include <type_traits>

namespace weft::model_detail {

namespace {

constexpr std::size_t error_bytes_max = 64 * 1024;
constexpr std::size_t document_bytes_max = 32 * 1024 * 1024;

bool is_json(std::string_view media_type) noexcept
{
    return media_type == "application/json" || media_type.ends_with("+json");
}

/** Some servers say nothing of what they stream, or the wrong thing; whether it is a stream shows when it comes. */
bool may_be_mislabelled(std::string_view media_type) noexcept
{
    return media_type.empty() || media_type == "text/plain";
}

bool is_stream(std::string_view media_type, stream_framing framing) noexcept
{
    if (may_be_mislabelled(media_type)) return true;
    if (framing == stream_framing::events) return media_type == "text/event-stream";
    return media_type == "application/x-ndjson" || media_type == "application/ndjson" ||
           media_type == "application/jsonl" || media_type == "application/x-jsonlines";
}

/** Nothing of a reply came: the wire failed, or the call was stopped. */
[[noreturn]] void fail_request(const std::string& where, const error& cause)
{
    model_failure failure;
    failure.code = cause.code();
    failure.phase = model_phase::request;
    failure.detail = cause.detail();
    failure.is_transient = is_transient(cause.code());
    throw model_error{where, std::move(failure)};
}

/** A response that is no reply; it may break off without becoming something else. */
task<chat_reply> read_refusal(http_response response, provider_call call)
{
    const http_response_head head = response.head();
    std::string body;
    try {
        std::string beginning = co_await response.read_at_most(error_bytes_max);
        body = std::move(beginning);
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
    }
    throw model_error{call.reading.where, response_failure(head, body, *call.key, *call.dialect)};
}

/** Gives the reply all events that are there. @return False when nothing of interest can follow. */
template <class Parser>
bool feed_all(Parser& parser, provider_reply& reply, bool& has_events, chat_sink& sink)
{
    while (const sse_event* event = parser.next()) {
        has_events = true;
        if (!reply.feed(*event, sink)) return false;
    }
    return true;
}

/** Reads what little may follow a reply, so that the connection can serve another one. */
task<std::optional<error>> drained(http_response& response)
{
    std::optional<error> failure;
    try {
        co_await response.drain();
    } catch (const error& e) {
        failure = e;
    }
    co_return failure;
}

template <class Parser>
Parser made_parser()
{
    if constexpr (std::is_same_v<Parser, sse_parser>)
        return sse_parser{{.dialect = sse_dialect::llm}};
    else
        return Parser{};
}

/** Reads a stream to the end of the reply in it.
 *  @param no_stream   Thrown if no event comes; null: then the reply is cut. */
template <class Parser>
task<chat_reply> read_pieces(http_response response, std::unique_ptr<provider_reply> reply,
                             std::unique_ptr<const model_error> no_stream, chat_sink& sink)
{
    Parser parser = made_parser<Parser>();
    std::optional<error> failure;
    bool goes_on = true;
    bool has_events = false;
    while (goes_on) {
        std::string_view bytes;
        try {
            const std::string_view read = co_await response.read_some();
            bytes = read;
        } catch (const error& e) {
            failure = e;
        }
        if (bytes.empty()) break;
        parser.feed(bytes);
        goes_on = feed_all(parser, *reply, has_events, sink);
        if (parser.has_failed()) co_return reply->finish_after(parser.failure("stream"));
        const bool is_full = sink.is_full();
        if (is_full) co_await sink.wait_for_room();
    }
    if (!goes_on) {
        std::optional<error> late = co_await drained(response);
        failure = std::move(late);
    } else if (const sse_event* rest = parser.finish()) {
        has_events = true;
        reply->feed_last(*rest, sink);  // the last event of some servers lacks its end
    }
    if (!has_events && parser.raw_json().empty() && !failure && no_stream) throw model_error{*no_stream};
    if (failure) co_return reply->finish_after(*failure);
    co_return reply->finish(parser.raw_json());
}

task<chat_reply> read_document(http_response response, std::unique_ptr<provider_reply> reply, chat_sink& sink)
{
    std::string body;
    std::optional<error> failure;
    try {
        std::string whole = co_await response.read_all(document_bytes_max);
        body = std::move(whole);
    } catch (const error& e) {
        failure = e;
    }
    if (failure) co_return reply->finish_after(*failure);
    reply->feed_document(body, sink);
    co_return reply->finish({});
}

/** Status first, then content type, then body. No coroutine: each one between here and the socket costs memory for as
 *  long as a stream is open. */
task<chat_reply> read_reply(http_response response, provider_call call, chat_sink& sink)
{
    const http_response_head& head = response.head();
    const std::string type = head.media_type();
    const bool is_document = is_json(type);
    if (!head.is_success() || !(is_document || is_stream(type, call.framing)))
        return read_refusal(std::move(response), std::move(call));
    std::unique_ptr<const model_error> no_stream;
    if (type == "text/plain")
        no_stream = std::make_unique<const model_error>(call.reading.where,
                                                        response_failure(head, "?", *call.key, *call.dialect));
    call.reading.request_id = head.headers.find(call.dialect->request_id_header).value_or("");
    call.reading.rate_limits = call.dialect->limits(head.headers);
    std::unique_ptr<provider_reply> reply = call.begin(std::move(call.reading), *call.key);
    if (is_document) return read_document(std::move(response), std::move(reply), sink);
    if (call.framing == stream_framing::events)
        return read_pieces<sse_parser>(std::move(response), std::move(reply), std::move(no_stream), sink);
    return read_pieces<json_line_parser>(std::move(response), std::move(reply), std::move(no_stream), sink);
}

/** The response's head, whatever it says. */
task<http_response> send_once(http_client client, http_request request, const std::string& where)
{
    std::optional<http_response> response;
    std::optional<error> failure;
    try {
        http_response answered = co_await client.send(std::move(request));
        response.emplace(std::move(answered));
    } catch (const error& e) {
        failure = e;
    }
    if (failure) fail_request(where, *failure);
    co_return std::move(*response);
}

/** What the source says, its errors told as those of a call. */
task<secret_string> asked_key(task<secret_string> asked, const std::string& where)
{
    secret_string key;
    std::optional<error> failure;
    try {
        secret_string told = co_await std::move(asked);
        key = std::move(told);
    } catch (const error& e) {
        const std::string from = e.where().empty() ? "" : e.where() + ": ";
        failure.emplace(e.code(), where, "there is no key: " + from + e.detail());
    }
    if (failure) fail_request(where, *failure);
    co_return key;
}

http_request keyed_request(const provider_call& call, const chat_request& request, const secret_string& key)
{
    http_request out = call.write(request);
    if (!key.empty()) put_key(out, call.header, key);
    return out;
}

/** What a call has needed besides its request. */
struct sent_keys {
    secret_string last;  // of the source
    int refused = 0;     // requests that were answered with 401
};

/** As `send_once`, with the key of the source, and with another one after a 401.
 *  @param keys   Tells afterwards what was sent. */
task<http_response> send_with_source(http_client client, const chat_request& request, const provider_call& call,
                                     sent_keys& keys)
{
    constexpr int unauthorized = 401;
    const std::string& where = call.reading.where;
    task<secret_string> asked = asked_key(call.credentials->current(), where);
    secret_string first = co_await std::move(asked);
    keys.last = std::move(first);
    task<http_response> sent = send_once(client, keyed_request(call, request, keys.last), where);
    http_response response = co_await std::move(sent);
    if (response.status() != unauthorized) co_return std::move(response);
    task<secret_string> refreshed = asked_key(call.credentials->refresh(keys.last), where);
    secret_string other = co_await std::move(refreshed);
    if (other.empty()) co_return std::move(response);
    (void)co_await response.drain();
    keys.last = std::move(other);
    ++keys.refused;
    task<http_response> repeated = send_once(client, keyed_request(call, request, keys.last), where);
    http_response answer = co_await std::move(repeated);
    co_return std::move(answer);
}

}  // namespace

void put_key(http_request& out, const key_header& header, const secret_string& key)
{
    out.secret(std::string{header.name}, key, std::string{header.prefix});
}

task<chat_reply> call_provider(http_client client, chat_request request, provider_call call, chat_sink& sink)
{
    serial_loop& loop = co_await this_task::loop();
    call.reading.id_seed = loop.random().next();
    sent_keys keys;
    task<http_response> sent;
    if (call.credentials) {
        call.key = &keys.last;
        sent = send_with_source(std::move(client), request, call, keys);
    } else {
        sent = send_once(std::move(client), call.write(request), call.reading.where);
    }
    http_response response = co_await std::move(sent);
    task<chat_reply> read = read_reply(std::move(response), std::move(call), sink);
    chat_reply reply = co_await std::move(read);
    reply.attempts += keys.refused;
    co_return reply;
}

}  // namespace weft::model_detail
