#include "run_answers.hpp"

#include "runs.hpp"
#include "serve/http/open_answer.hpp"
#include "serve/run/run_history.hpp"
#include "serve/state/state_text.hpp"
#include "serve/state/state_wire.hpp"
#include "serve/wire/views.hpp"

#include <weft/base/error.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <exception>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;

constexpr std::size_t piece_bytes_max = 16 * 1024;
constexpr std::size_t waiting_capacity_max = 2 * 1024;
constexpr std::string_view heartbeat_comment = ": heartbeat\n\n";
/** How often the store is asked about a run that another process, or the worker loop, has. */
constexpr std::chrono::milliseconds look_every{250};

http_headers headers_for(const run_follower& of)
{
    http_headers headers;
    headers.set("Cache-Control", "no-store");
    headers.set("X-Accel-Buffering", "no");
    if (of.thread && of.is_start) {
        const std::string place = "/threads/" + of.thread->thread + "/runs/" + of.feed->run().text();
        headers.set("Content-Location", place);
    }
    return headers;
}

/** Waits for events or the end of a run; one that this process does not drive is looked up in the store. */
task<void> wait_for_more(serve_core& core, feed_reader& reader, const run_follower& of)
{
    if (of.feed->is_driven()) {
        co_await reader.wait(core.options.heartbeat);
        co_return;
    }
    co_await reader.wait(look_every);
    const std::optional<run_record> record = co_await core.stores.runs->find_run(of.feed->run());
    // The worker loop, or another process, has it: its end is seen in the store.
    const bool rests = !record || is_over(record->phase) || record->phase == run_phase::waiting;
    const bool is_given_back = core.is_draining && record && record->phase == run_phase::ready;
    if ((!rests && !is_given_back) || of.feed->is_closed()) co_return;
    run_ending ending = record ? ending_of(*record) : run_ending{};
    ending.is_given_back = is_given_back;
    of.feed->close(std::move(ending));
    core.feeds.retire(of.feed->run());
}

/** A run that a drain has given back has not ended: its client joins it again, at the next life of the server. What has
 *  begun to be answered is cut, so that the client does not take a part for the whole. */
void require_end(const run_ending& of)
{
    if (!of.is_given_back) return;
    http_error refused{503, "draining", "the server ends; the run goes on: join it again"};
    refused.header("Retry-After", "1");
    throw refused;
}

bool is_told_as_error(const run_ending& of) noexcept
{
    const bool has_failed = of.phase == run_phase::failed || of.phase == run_phase::dead;
    return has_failed || (!of.error.empty() && !of.values);
}

array asked_in(const run_ending& of)
{
    array asked;
    for (const open_question& question : of.questions) asked.push_back(interrupt_view(question));
    return asked;
}

/** Cancels the run of a client that wanted that when it goes away, and no other one of its thread. */
task<void> stop_run(serve_core& core, run_id run)
{
    try {
        const std::optional<run_record> record = co_await core.stores.runs->find_run(run);
        if (record) (void)co_await cancel_run(core, *record);
    } catch (const error& e) {
        core.tell_error("a run whose client is gone", e.what());
    }
}

object failure_for_client(const run_ending& of)
{
    object why;
    why["error"] = of.error;
    why["message"] = of.message;
    object result;
    result["__error__"] = std::move(why);
    return result;
}

/** What a run left, as clients see it: values, `__interrupt__`, `__error__`. */
task<std::string> outcome_text(run_ending of)
{
    if (is_told_as_error(of)) co_return boost::json::serialize(failure_for_client(of));
    std::string text;
    if (of.values) co_await append_state_text(text, *of.values);
    else text = "{}";
    if (of.questions.empty()) co_return text;
    text.pop_back();
    if (text.size() > 1) text.push_back(',');
    text.append("\"__interrupt__\":").append(boost::json::serialize(asked_in(of))).push_back('}');
    co_return text;
}

/** Sends what a client gets, in pieces of a bounded size. What waits for a client that reads slowly is no more than one
 *  piece here, one in the connection, and what the system holds: the next events wait in the feed, which all share. */
class piece_writer {
public:
    explicit piece_writer(http_call& to) noexcept : to_{to} {}

    [[nodiscard]] std::string& waiting() noexcept { return waiting_; }
    [[nodiscard]] bool is_full() const noexcept { return waiting_.size() >= piece_bytes_max; }

    /** Whether a frame may be added to what waits. */
    [[nodiscard]] bool takes(const std::string& frame) const noexcept { return frame.size() <= piece_bytes_max; }
    /** Sends one that may be a state of megabytes, which is not copied as a whole. */
    task<void> send_large(std::shared_ptr<const std::string> frame)
    {
        co_await send();
        const std::string_view whole{*frame};
        for (std::size_t at = 0; at < whole.size(); at += piece_bytes_max)
            co_await to_.write(whole.substr(at, piece_bytes_max));
    }

    task<void> send()
    {
        if (waiting_.empty()) co_return;
        co_await to_.write(waiting_);
        // One that waits for a model holds no room for what it has sent at once some time ago.
        if (waiting_.capacity() > waiting_capacity_max) waiting_ = std::string{};
        waiting_.clear();
    }

private:
    http_call& to_;
    std::string waiting_;
};

/** Takes events of the feed until there is a piece. */
task<void> take_events(feed_reader& reader, piece_writer& out, const run_follower& of)
{
    while (!out.is_full()) {
        const std::shared_ptr<const feed_event> event = reader.next();
        if (!event) co_return;
        if (needs_state_frames(*event, of.view)) co_await make_state_frames(*event);
        event_frames frames = frames_of(*event, of.view, of.seen);
        for (std::shared_ptr<const std::string>& frame : frames) {
            if (out.takes(*frame)) out.waiting().append(*frame);
            else co_await out.send_large(std::move(frame));
        }
    }
}

task<void> send_events(serve_core& core, api_call& call, const run_follower& of)
{
    feed_reader reader{of.feed, of.after};
    piece_writer out{call.http()};
    if (of.is_start) out.waiting() = metadata_frame(of.feed->run(), 1);
    auto last_sign = core.loop.now();
    for (;;) {
        if (reader.takes_gap()) out.waiting().append(": events that came before are gone\n\n");
        co_await take_events(reader, out, of);
        if (out.waiting().empty() && reader.is_at_end()) break;
        if (out.waiting().empty() && core.loop.now() - last_sign >= core.options.heartbeat)
            out.waiting().append(heartbeat_comment);
        if (out.waiting().empty()) {
            co_await wait_for_more(core, reader, of);
            continue;
        }
        co_await out.send();
        last_sign = core.loop.now();
    }
    const run_ending& ending = *of.feed->ending();
    require_end(ending);
    if (ending.error.empty()) co_await call.http().end_stream();
    else co_await call.http().end_stream(error_frame(ending.error, ending.message));
}

task<void> stream_events(serve_core& core, api_call& call, run_follower follower)
{
    std::exception_ptr failure;
    try {
        http_headers headers = headers_for(follower);
        co_await call.http().start_stream(200, "text/event-stream", std::move(headers));
        co_await send_events(core, call, follower);
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure) co_return;
    // Not here: what is awaited in the stopped scope of a client that is gone ends at once.
    const bool stops = follower.stops_with_client && follower.thread && call.http().is_gone();
    if (stops && core.background) core.background->spawn(stop_run(core, follower.feed->run()));
    std::rethrow_exception(failure);
}

task<void> wait_for_end(serve_core& core, api_call& call, run_follower follower)
{
    feed_reader reader{follower.feed, follower.after};
    bool is_streaming = false;
    if (follower.stops_with_client) call.http().stop_when_gone();
    auto last_sign = core.loop.now();
    while (!follower.feed->is_closed()) {
        while (reader.next()) {}
        co_await wait_for_more(core, reader, follower);
        const bool is_silent = core.loop.now() - last_sign >= core.options.heartbeat;
        if (follower.feed->is_closed() || !is_silent) continue;
        // The status is told before the outcome is known: a run that fails is told in the body, as LangGraph does it.
        if (!is_streaming) {
            http_headers headers = headers_for(follower);
            co_await call.http().start_stream(200, "application/json", std::move(headers));
        }
        is_streaming = true;
        co_await call.http().write("\n");
        last_sign = core.loop.now();
    }
    // A run of an earlier life left its values in the store only.
    std::string body;
    run_ending ending = *follower.feed->ending();
    require_end(ending);
    if (ending.values || !ending.error.empty() || !follower.thread) {
        body = co_await outcome_text(std::move(ending));
    } else {
        const thread_snapshot left = co_await core.engine.read(*follower.thread);
        body = co_await state_text(left.state());
    }
    if (is_streaming) {
        co_await call.http().end_stream(body);
        co_return;
    }
    http_reply answer{200, std::move(body), "application/json"};
    if (follower.thread && follower.is_start) answer.headers = headers_for(follower);
    co_await call.http().reply(std::move(answer));
}

std::string last_frame(const std::string& why) { return error_frame("unauthenticated", why); }

std::string last_outcome(const std::string& why)
{
    run_ending ending;
    ending.error = "unauthenticated";
    ending.message = why;
    return boost::json::serialize(failure_for_client(ending));
}

}  // namespace

task<void> stream_run(serve_core& core, api_call& call, run_follower follower)
{
    task<void> streaming = stream_events(core, call, std::move(follower));
    return answer_while_allowed(core.access.watch(), call, std::move(streaming), last_frame);
}

task<void> wait_for_run(serve_core& core, api_call& call, run_follower follower)
{
    task<void> waiting = wait_for_end(core, call, std::move(follower));
    return answer_while_allowed(core.access.watch(), call, std::move(waiting), last_outcome);
}

}  // namespace weft::serve_detail
