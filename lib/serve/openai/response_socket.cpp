#include "response_socket.hpp"

#include "compaction.hpp"
#include "openai_error.hpp"
#include "request_fields.hpp"
#include "response_orders.hpp"
#include "serve/http/own_origin.hpp"
#include "serve/http/refusal.hpp"
#include "serve/run/open_stream.hpp"
#include "stored_items.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t responses_kept = 8;
constexpr std::size_t response_batch_bytes = 16 * 1024;
constexpr std::uint16_t policy_close = 1008;

/** The body of a response that a message asks for. */
object body_of_message(const std::string& message)
{
    value given;
    std::string fault;
    try {
        given = parse_json(message);
    } catch (const error& wrong) {
        fault = wrong.what();
    }
    if (!fault.empty()) throw http_error{400, "invalid_json", "message: " + fault};
    if (!given.is_object()) throw http_error{400, "invalid_json", "message: expected an object"};
    object body = std::move(given.get_object());
    if (peek_text(body, "type") != "response.create")
        refuse_parameter("type", "expected response.create", "unsupported_event");
    if (fields_of<response_request_fields>().background.is_set(body))
        refuse_parameter("background", "is not for WebSockets", "unsupported_parameter");
    return body;
}

/** What the assistant has said and asked for, as a message of the conversation. */
void append_answer(array& messages, const run_transcript& said)
{
    object answer;
    answer["role"] = "assistant";
    answer["content"] = said.text();
    array calls;
    for (const client_call& call : said.calls()) {
        object one;
        one["id"] = call.id;
        one["name"] = call.name;
        one["args"] = parse_json(call.arguments.empty() ? "{}" : call.arguments);
        calls.push_back(std::move(one));
    }
    if (!calls.empty()) answer["tool_calls"] = std::move(calls);
    messages.push_back(std::move(answer));
}

}  // namespace

const array* response_cache::find(std::string_view id) const noexcept
{
    for (const entry& each : entries_)
        if (each.id == id) return &each.messages;
    return nullptr;
}

void response_cache::keep(std::string id, array messages)
{
    entries_.push_back({std::move(id), std::move(messages)});
    if (entries_.size() > responses_kept) entries_.pop_front();
}

void response_cache::forget(std::string_view id)
{
    std::erase_if(entries_, [id](const entry& each) { return each.id == id; });
}

task<void> response_socket::run()
{
    for (;;) {
        std::optional<std::string> message = co_await session_.receive();
        if (!message) co_return;
        std::exception_ptr failure;
        std::string previous;
        try {
            object body = body_of_message(*message);
            // A conversation of megabytes is not kept twice while it is answered.
            message->clear();
            previous = fields_of<response_request_fields>().previous.text_or_empty(body);
            co_await answer(std::move(body));
        } catch (...) {
            failure = std::current_exception();
        }
        if (!failure) continue;
        // A client that goes away while it is answered is no failure.
        if (!session_.is_open() || code_of(failure) == errc::cancelled) std::rethrow_exception(failure);
        cache_.forget(previous);
        co_await refuse(std::move(failure));
    }
}

task<void> response_socket::answer(object body)
{
    caller_gate::pass place;
    if (core_.access.is_asking())
        place = core_.access.admit_known(call_.who(), call_.http(), "threads", "create_run");
    const bool generates = fields_of<response_message_fields>().generates.in(body).value_or(true);
    const compaction_opener open = co_await opener_for(core_, call_.tenant(), body);
    response_request request = read_response_request(body, open);
    array said_before;
    const array* const known = request.previous.empty() ? nullptr : cache_.find(request.previous);
    const bool is_cached = known != nullptr;
    if (known) said_before = *known;
    if (!generates) {
        put_before(std::move(said_before), request.input);
        co_await warm_up(std::move(request));
        co_return;
    }
    co_await follow(std::move(request), is_cached, std::move(said_before));
}

/** Nothing is generated: what was said is there for the next response of the connection. */
task<void> response_socket::warm_up(response_request request)
{
    (void)co_await require_model(core_, call_.tenant(), request.model);
    response_frame frame;
    frame.id.run = core_.next_id<run_id>();
    frame.echo = std::move(request.echo);
    frame.created_at = seconds_of(core_)();
    cache_.keep(frame.id.text(), std::move(request.input.messages));
    std::string frames;
    response_writer writer{std::move(frame), run_transcript{nullptr}, std::nullopt, seconds_of(core_)};
    writer.begin(frames);
    writer.end(frames, run_ending{});
    co_await send_frames(std::move(frames));
}

task<void> response_socket::follow(response_request request, bool is_cached, array said_before)
{
    const std::string previous = request.previous;
    const bool is_stored = request.store;
    // What the connection knows goes before what the store knows: it was not stored.
    if (is_cached) {
        put_before(said_before, request.input);
        request.previous.clear();
    } else if (!is_stored && !previous.empty()) {
        said_before = co_await messages_of_response(core_, call_, previous);
        put_before(said_before, request.input);
        request.previous.clear();
    }
    array said = is_stored ? array{} : request.input.messages;
    begun_response_run begun = co_await begin_response(core_, call_, std::move(request));
    const run_follower follower = std::move(begun.turn.follower);
    run_transcript transcript{begun.turn.graph, begun.turn.after};
    response_writer writer{std::move(begun.frame), std::move(transcript), std::nullopt, seconds_of(core_)};
    const open_stream counted{core_, "openai"};
    feed_reader reader{follower.feed, follower.after};
    std::string frames;
    writer.begin(frames);
    for (;;) {
        while (frames.size() < response_batch_bytes && !writer.is_done()) {
            const std::shared_ptr<const feed_event> event = reader.next();
            if (!event) break;
            if (event->is_record()) continue;
            for (const auto& frame : writer.frames(*event)) frames.append(*frame);
        }
        if (!frames.empty()) co_await send_frames(std::exchange(frames, {}));
        else if (reader.is_at_end() || writer.is_done()) break;
        else co_await wait_for_more(core_, reader, follower);
    }
    run_ending ending = follower.feed->ending().value_or(run_ending{});
    if (!writer.is_done()) {
        require_end(ending);
        co_await read_outcome(core_, follower, ending);
    }
    writer.end(frames, ending);
    if (!is_stored && !is_told_as_error(ending)) {
        append_answer(said, writer.said());
        cache_.keep(writer.frame().id.text(), std::move(said));
    } else if (is_told_as_error(ending)) {
        cache_.forget(previous);
    }
    co_await send_frames(std::move(frames));
}

/** Each event of a stream is a message of its own. */
task<void> response_socket::send_frames(std::string frames)
{
    constexpr std::string_view mark = "\ndata: ";
    for (std::size_t at = 0; at < frames.size();) {
        const std::size_t end = frames.find("\n\n", at);
        const std::size_t data = frames.find(mark, at) + mark.size();
        std::string message = frames.substr(data, end - data);
        co_await session_.send(std::move(message));
        at = end + 2;
    }
}

task<void> response_socket::refuse(std::exception_ptr failure)
{
    const refusal why = refusal_for(failure);
    if (why.is_of_server) core_.tell_error("a response over a WebSocket", text_of(failure));
    object message;
    message["type"] = "error";
    message["status"] = openai_status(why.status);
    message["error"] = openai_error_view(why);
    std::string text = boost::json::serialize(message);
    co_await session_.send(std::move(text));
}

task<void> talk_in_responses(serve_core& core, api_call& call)
{
    require_own_origin(call.http().head(), core.options.allowed_origin);
    websocket_session session = co_await call.http().accept_websocket();
    std::unique_ptr<access_watch::place> place;
    if (call.by().can_end()) {
        const auto close = [session](const std::string& why) mutable { session.close(policy_close, why); };
        place = core.access.watch().enter(call.by(), close);
    }
    response_socket socket{core, call, session};
    co_await socket.run();
}

}  // namespace weft::serve_detail
