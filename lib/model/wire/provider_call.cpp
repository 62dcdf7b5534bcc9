#include "provider_call.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/model/model_error.hpp>
#include <weft/net/http_response.hpp>
#include <weft/net/sse_parser.hpp>
#include <weft/net/text/json_line_parser.hpp>

#include "content_watch.hpp"
#include "keyed_sending.hpp"
#include "request_writing.hpp"

#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace weft::model_detail {

namespace {

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

/** A response that is no reply. */
task<chat_reply> read_refusal(const provider& from, std::string where, provider_answer answer)
{
    model_error refusal = co_await refusal_of(from, std::move(where), std::move(answer));
    throw refusal;
}

/** Gives the reader all events that are there. @return False when nothing of interest can follow. */
template <class Parser>
bool feed_all(Parser& parser, reply_reader& reader, bool& has_events, chat_sink& sink)
{
    while (const sse_event* event = parser.next()) {
        has_events = true;
        if (!reader.feed(*event, sink)) return false;
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

reading_limits reading_limits_of(const provider& from)
{
    const provider_options& options = from.options;
    const http_timeouts timeouts = options.timeouts.value_or(from.client.timeouts());
    content_waits waits;
    waits.first_max = options.first_token_max.value_or(timeouts.first_byte);
    waits.gap_max = options.token_gap_max.value_or(timeouts.gap);
    return {json_bytes_max(options.limits), timeouts.gap, waits};
}

/** The next bytes of a stream. A timer is started only where the wire's own is too long. */
task<std::string_view> read_in_time(http_response& response, std::chrono::nanoseconds left,
                                    std::chrono::nanoseconds silence_max)
{
    if (left >= silence_max) return response.read_some();
    return with_deadline(response.read_some(), left);
}

task<chat_reply> read_document(http_response response, std::unique_ptr<reply_reader> reader, std::size_t bytes_max,
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
    if (failure) co_return reader->finish_after(*failure);
    reader->feed_document(body, sink);
    co_return reader->finish();
}

enum class answer_kind { refusal, document, stream };

/** Status first, then content type, then body. */
answer_kind kind_of(const http_response_head& head, stream_framing framing)
{
    const std::string type = head.media_type();
    if (!head.is_success()) return answer_kind::refusal;
    if (is_json(type)) return answer_kind::document;
    return is_stream(type, framing) ? answer_kind::stream : answer_kind::refusal;
}

/** What is thrown if no event comes of a body that is called plain text; null: then the reply is cut. */
std::unique_ptr<const model_error> no_stream_of(const provider& from, const std::string& where,
                                                const provider_answer& answer)
{
    const http_response_head& head = answer.response.head();
    if (head.media_type() != "text/plain") return nullptr;
    return std::make_unique<const model_error>(
        where, response_failure(head, "?", key_of(from, answer), *from.how.errors));
}

std::unique_ptr<reply_reader> begin_reader(const provider& from, reply_options reading, const provider_answer& answer)
{
    const http_headers& headers = answer.response.head().headers;
    reading.request_id = headers.find(from.how.errors->request_id_header).value_or("");
    reading.rate_limits = from.how.errors->limits(headers);
    return from.how.read(std::move(reading), key_of(from, answer));
}

chat_reply with_refused(chat_reply reply, int refused)
{
    reply.attempts += refused;
    return reply;
}

/** Reads an answer that is no stream. The reply is on the heap: in the frame of what waits for it it would take its
 *  500 bytes as long as a stream is open, where there is none. */
task<std::unique_ptr<chat_reply>> read_whole(const provider& from, reply_options reading, provider_answer answer,
                                             chat_sink& sink)
{
    task<chat_reply> whole;
    const int refused = answer.refused;
    if (kind_of(answer.response.head(), from.how.framing) == answer_kind::refusal) {
        whole = read_refusal(from, std::move(reading.where), std::move(answer));
    } else {
        std::unique_ptr<reply_reader> reader = begin_reader(from, std::move(reading), answer);
        whole = read_document(std::move(answer.response), std::move(reader), json_bytes_max(from.options.limits), sink);
    }
    chat_reply reply = co_await std::move(whole);
    reply.attempts += refused;
    co_return std::make_unique<chat_reply>(std::move(reply));
}

/** Reads what is answered. It is one coroutine from the request to the last byte, since each one between the caller
 *  and the socket costs memory for as long as a stream is open.
 *  @tparam Parser   Of the framing. */
template <class Parser>
task<chat_reply> read_answer(const provider& from, reply_options reading, task<provider_answer> asking,
                             chat_sink& sink)
{
    serial_loop& loop = co_await this_task::loop();
    reading.id_seed = loop.random().next();
    provider_answer answer = co_await std::move(asking);
    if (kind_of(answer.response.head(), from.how.framing) != answer_kind::stream) {
        task<std::unique_ptr<chat_reply>> reading_whole =
            read_whole(from, std::move(reading), std::move(answer), sink);
        const std::unique_ptr<chat_reply> whole = co_await std::move(reading_whole);
        co_return std::move(*whole);
    }
    const reading_limits limits = reading_limits_of(from);
    const std::unique_ptr<const model_error> no_stream = no_stream_of(from, reading.where, answer);
    std::unique_ptr<reply_reader> reader = begin_reader(from, std::move(reading), answer);
    const int refused = answer.refused;
    Parser parser = made_parser<Parser>(limits.bytes_max);
    time_point now = loop.now();
    content_watch watch{sink, limits.waits, now};
    std::optional<error> failure;
    bool goes_on = true;
    bool has_events = false;
    while (goes_on) {
        std::string_view bytes;
        try {
            const std::string_view read = co_await read_in_time(answer.response, watch.left(now), limits.silence_max);
            bytes = read;
        } catch (const error& e) {
            failure = e.code() == errc::timeout ? watch.expired() : e;
        }
        if (bytes.empty()) break;
        parser.feed(bytes);
        goes_on = feed_all(parser, *reader, has_events, watch);
        if (parser.has_failed()) co_return with_refused(reader->finish_after(parser.failure("stream")), refused);
        now = loop.now();
        watch.fed(now);
        const bool is_full = sink.is_full();
        if (is_full) co_await sink.wait_for_room();
        if (is_full) watch.resume(now = loop.now());
    }
    if (!goes_on) {
        std::optional<error> late = co_await drained(answer.response);
        failure = std::move(late);
    } else if (const sse_event* rest = parser.finish()) {
        has_events = true;
        reader->feed_last(*rest, sink);  // the last event of some servers lacks its end
    }
    if (!has_events && parser.raw_json().empty() && !failure && no_stream) throw model_error{*no_stream};
    co_return with_refused(failure ? reader->finish_after(*failure) : reader->finish(parser.raw_json()), refused);
}

/** 0: the failure has none. */
std::int64_t status_of(const std::exception_ptr& failed)
{
    try {
        std::rethrow_exception(failed);
    } catch (const model_error& e) {
        return e.failure().status;
    } catch (...) {
        return 0;
    }
}

task<chat_reply> ask_over_http(const provider& from, chat_request request, chat_sink& sink)
{
    reply_options reading;
    reading.model = asked_model(request, from.options.model);
    reading.where = place_of(from, request);
    reading.limits = from.options.limits;
    request_writer write = [&from, asked = std::move(request)](const secret_string& key) {
        return written_request(from, asked, key);
    };
    task<provider_answer> asking = send_with_key(from, reading.where, std::move(write));
    if (from.how.framing == stream_framing::events)
        return read_answer<sse_parser>(from, std::move(reading), std::move(asking), sink);
    return read_answer<json_line_parser>(from, std::move(reading), std::move(asking), sink);
}

/** The same as a span of the request's trace, which the headers name as the innermost. */
task<chat_reply> ask_in_span(const provider& from, chat_request request, chat_sink& sink)
{
    const std::shared_ptr<span_recorder> recorder = request.trace->recorder;
    const url& base = from.how.base;
    span done{.name = "POST", .place = request.trace->place(), .kind = span_kind::client, .start = recorder->now()};
    done.parent = std::exchange(done.place.span, recorder->next_span());
    done.say(span_key::http_method, "POST").say(span_key::url, base.origin());
    done.say(span_key::server_address, base.host()).count(span_key::server_port, base.port());
    request.trace = std::make_shared<const trace_context>(request.trace->within(done.place.span));
    std::optional<chat_reply> reply;
    std::exception_ptr failed;
    try {
        chat_reply answered = co_await ask_over_http(from, std::move(request), sink);
        reply.emplace(std::move(answered));
    } catch (...) {
        failed = std::current_exception();
    }
    done.end = recorder->now();
    done.has_failed = failed != nullptr;
    constexpr std::int64_t good = 200;
    done.count(span_key::http_status, failed ? status_of(failed) : good);
    if (failed) done.say(span_key::error_type, name_of(code_of(failed)));
    recorder->record(std::move(done));
    if (failed) std::rethrow_exception(failed);
    co_return std::move(*reply);
}

}  // namespace

task<chat_reply> ask_provider(const provider& from, chat_request request, chat_sink& sink)
{
    const bool is_recorded = request.trace && request.trace->recorder && !request.trace->parent.empty();
    if (is_recorded) return ask_in_span(from, std::move(request), sink);
    return ask_over_http(from, std::move(request), sink);
}

}  // namespace weft::model_detail
