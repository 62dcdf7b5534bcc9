#include "provider_call.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/model/model_error.hpp>
#include <weft/net/http_response.hpp>
#include <weft/net/text/json_line_parser.hpp>

#include "content_watch.hpp"

#include <limits>
#include <optional>
#include <string>
#include <type_traits>

namespace weft::model_detail {

namespace {

constexpr std::size_t error_bytes_max = 64 * 1024;

/** How many bytes of JSON a reply within its limits may take: all of it may stand in one line, as the last event of the
 *  Responses API repeats it, and JSON may write one byte as six. */
std::size_t json_bytes_max(const reply_limits& limits) noexcept
{
    constexpr std::size_t frame_bytes_max = 1024 * 1024;  // what stands around the texts
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    if (limits.text_bytes_max > most / 16 || limits.argument_bytes_max > most / 16) return most;
    return 6 * (limits.text_bytes_max + limits.argument_bytes_max) + frame_bytes_max;
}

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

/** What was done about a key, for an endpoint that refuses it. */
std::string key_text(const provider_call& call)
{
    if (call.key->empty()) return "; no key was sent";
    if (call.credentials) return "; the key of the source of credentials was sent";
    const bool is_known = call.key_origin && !call.key_origin->empty();
    return is_known ? "; the key of " + *call.key_origin + " was sent" : "; the key of the model's options was sent";
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
    model_failure failure = response_failure(head, body, *call.key, *call.dialect);
    if (failure.code == errc::model_unauthorized) failure.detail += key_text(call);
    throw model_error{call.reading.where, std::move(failure)};
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
Parser made_parser(std::size_t bytes_max)
{
    if constexpr (std::is_same_v<Parser, sse_parser>)
        return sse_parser{
            {.dialect = sse_dialect::llm, .line_bytes_max = bytes_max, .event_bytes_max = bytes_max}};
    else
        return Parser{json_line_options{.line_bytes_max = bytes_max}};
}

/** What bounds the reading of one reply. */
struct reading_limits {
    std::size_t bytes_max;
    std::chrono::nanoseconds silence_max;  // the wire notices it itself
    content_waits waits;
};

reading_limits reading_limits_of(const provider_call& call, const http_timeouts& of_client)
{
    const http_timeouts timeouts = call.timeouts.value_or(of_client);
    content_waits waits;
    waits.first_max = call.first_token_max.value_or(timeouts.first_byte());
    waits.gap_max = call.token_gap_max.value_or(timeouts.gap());
    return {json_bytes_max(call.reading.limits), timeouts.gap(), waits};
}

/** The next bytes of a stream. A timer is started only where the wire's own is too long. */
task<std::string_view> read_in_time(http_response& response, std::chrono::nanoseconds left,
                                    std::chrono::nanoseconds silence_max)
{
    if (left >= silence_max) return response.read_some();
    return with_deadline(response.read_some(), left);
}

/** Reads a stream to the end of the reply in it.
 *  @param no_stream   Thrown if no event comes; null: then the reply is cut. */
template <class Parser>
task<chat_reply> read_pieces(http_response response, std::unique_ptr<provider_reply> reply,
                             std::unique_ptr<const model_error> no_stream, reading_limits limits, chat_sink& sink)
{
    const serial_loop& loop = co_await this_task::loop();
    Parser parser = made_parser<Parser>(limits.bytes_max);
    time_point now = loop.now();
    content_watch watch{sink, limits.waits, now};
    std::optional<error> failure;
    bool goes_on = true;
    bool has_events = false;
    while (goes_on) {
        std::string_view bytes;
        try {
            task<std::string_view> reading = read_in_time(response, watch.left(now), limits.silence_max);
            const std::string_view read = co_await std::move(reading);
            bytes = read;
        } catch (const error& e) {
            failure = e.code() == errc::timeout ? watch.expired() : e;
        }
        if (bytes.empty()) break;
        parser.feed(bytes);
        goes_on = feed_all(parser, *reply, has_events, watch);
        if (parser.has_failed()) co_return reply->finish_after(parser.failure("stream"));
        now = loop.now();
        watch.fed(now);
        const bool is_full = sink.is_full();
        if (is_full) co_await sink.wait_for_room();
        if (is_full) watch.resume(now = loop.now());
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

task<chat_reply> read_document(http_response response, std::unique_ptr<provider_reply> reply, std::size_t bytes_max,
                               chat_sink& sink)
{
    std::string body;
    std::optional<error> failure;
    try {
        std::string whole = co_await response.read_all(bytes_max);
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
task<chat_reply> read_reply(http_response response, provider_call call, const http_timeouts& timeouts,
                            chat_sink& sink)
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
    const reading_limits limits = reading_limits_of(call, timeouts);
    std::unique_ptr<provider_reply> reply = call.begin(std::move(call.reading), *call.key);
    if (is_document) return read_document(std::move(response), std::move(reply), limits.bytes_max, sink);
    if (call.framing == stream_framing::events)
        return read_pieces<sse_parser>(std::move(response), std::move(reply), std::move(no_stream), limits, sink);
    return read_pieces<json_line_parser>(std::move(response), std::move(reply), std::move(no_stream), limits, sink);
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
    const http_timeouts timeouts = client.timeouts();
    task<http_response> sent;
    if (call.credentials) {
        call.key = &keys.last;
        sent = send_with_source(std::move(client), request, call, keys);
    } else {
        sent = send_once(std::move(client), call.write(request), call.reading.where);
    }
    http_response response = co_await std::move(sent);
    task<chat_reply> read = read_reply(std::move(response), std::move(call), timeouts, sink);
    chat_reply reply = co_await std::move(read);
    reply.attempts += keys.refused;
    co_return reply;
}

}  // namespace weft::model_detail
