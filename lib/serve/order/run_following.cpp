#include "run_following.hpp"

#include "runs.hpp"
#include "serve/run/open_stream.hpp"
#include "serve/run/run_history.hpp"

#include <weft/base/error.hpp>
#include <weft/net/server/http_error.hpp>

#include <exception>
#include <utility>

namespace weft::serve_detail {

namespace {

constexpr std::size_t piece_bytes_max = 16 * 1024;
constexpr std::size_t waiting_capacity_max = 2 * 1024;

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
task<void> take_events(feed_reader& reader, piece_writer& out, run_writer& writer)
{
    while (!out.is_full()) {
        const std::shared_ptr<const feed_event> event = reader.next();
        if (!event || writer.is_done()) co_return;
        if (event->is_record() && !writer.shows_records()) continue;
        if (writer.is_long(*event)) co_await writer.prepare(*event);
        event_frames frames = writer.frames(*event);
        for (std::shared_ptr<const std::string>& frame : frames) {
            if (out.takes(*frame)) out.waiting().append(*frame);
            else co_await out.send_large(std::move(frame));
        }
    }
}

/** Whether what a client gets last can go out together with the end, for which nothing is waited for. */
bool ends_at_once(const run_follower& of, const run_writer& writer)
{
    const std::optional<run_ending>& ending = of.feed->ending();
    return writer.is_done() || (ending && !ending->is_given_back && !writer.wants_outcome());
}

task<void> send_events(serve_core& core, api_call& call, const run_follower& of, run_writer& writer)
{
    const open_stream counted{core, writer.protocol()};
    feed_reader reader{of.feed, of.after};
    piece_writer out{call.http()};
    writer.begin(out.waiting());
    auto last_sign = core.loop.now();
    for (;;) {
        if (reader.takes_gap()) writer.gap(out.waiting());
        co_await take_events(reader, out, writer);
        const bool is_over = reader.is_at_end() || writer.is_done();
        if (is_over && (out.waiting().empty() || ends_at_once(of, writer))) break;
        if (out.waiting().empty() && core.loop.now() - last_sign >= core.options.heartbeat)
            out.waiting().append(writer.heartbeat());
        if (out.waiting().empty()) {
            co_await call.http().flush();
            call.http().stop_when_gone();
            co_await wait_for_more(core, reader, of);
            continue;
        }
        co_await out.send();
        call.http().stop_when_gone();
        last_sign = core.loop.now();
    }
    run_ending ending = of.feed->ending().value_or(run_ending{});
    if (!writer.is_done()) {
        require_end(ending);
        if (writer.wants_outcome()) co_await read_outcome(core, of, ending);
    }
    writer.end(out.waiting(), ending);
    co_await call.http().end_stream(out.waiting());
}

task<void> stream_events(serve_core& core, api_call& call, run_follower follower, std::unique_ptr<run_writer> writer,
                         http_headers headers)
{
    std::exception_ptr failure;
    try {
        forbid_buffering(headers);
        call.http().begin_stream(200, "text/event-stream", headers);
        co_await send_events(core, call, follower, *writer);
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure) co_return;
    const bool is_over_for_client = follower.stops_with_client && call.http().is_gone();
    if (is_over_for_client) follower.stop.request_stop();
    // Not here: what is awaited in the stopped scope of a client that is gone ends at once.
    if (is_over_for_client && follower.thread && core.background)
        core.background->spawn(stop_run_of_client(core, follower.feed->run()));
    std::rethrow_exception(failure);
}

}  // namespace

task<void> read_outcome(serve_core& core, const run_follower& of, run_ending& ending)
{
    if (!ending.error.empty() || !of.thread) co_return;
    const thread_key thread = *of.thread;
    if (!ending.values) {
        const std::optional<std::int64_t> left = co_await last_checkpoint(core, thread, of.feed->run());
        if (!left) co_return;
        const thread_snapshot snapshot = co_await core.engine.read(thread, *left);
        ending.values = snapshot.state();
    }
    // What another process has left has values, and questions in the store only.
    const bool may_ask = ending.phase == run_phase::waiting && ending.questions.empty();
    if (may_ask) ending.questions = co_await core.engine.questions(thread);
}

task<void> run_writer::prepare(const feed_event&) { co_return; }

task<void> wait_for_more(serve_core& core, feed_reader& reader, const run_follower& of)
{
    if (of.thread && !of.following) of.following = core.follower.follow(*of.thread, of.feed);
    return reader.wait(core.options.heartbeat);
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

task<run_follower> join_run(serve_core& core, run_record run)
{
    run_follower follower;
    follower.thread = run.thread;
    follower.watch = co_await core.news.follow(run.thread);
    follower.feed = co_await whole_feed_of(core, run);
    const bool rests = is_over(run.phase) || run.phase == run_phase::waiting;
    // A run that waited may have been cancelled since its feed was closed.
    const auto& told = follower.feed->ending();
    const bool has_ended_since = told && told->phase == run_phase::waiting && is_over(run.phase);
    if (has_ended_since) follower.feed->reopen();
    const bool tells_tape = core.follower.tells_tape(run.thread, run.id);
    // What other processes did while no client followed the run here comes before the end that closes the feed.
    const bool may_lack = rests && !follower.feed->is_closed() && !follower.feed->is_driven();
    if (may_lack) begin_log(core, *follower.feed, run.graph, 0);
    // That end is news to those that read the whole thread.
    if (may_lack || (rests && tells_tape)) co_await read_on(core, run.thread, follower.feed);
    if (rests && !follower.feed->is_closed() && (has_ended_since || !follower.feed->is_driven())) {
        if (tells_tape) core.news.end_logged(run.thread, run.id, ending_of(run));
        else core.feeds.close(run.id, ending_of(run));
    }
    co_return follower;
}

task<run_ending> wait_for_end(serve_core& core, run_follower follower)
{
    feed_reader reader{follower.feed, follower.after};
    while (!follower.feed->is_closed()) {
        while (reader.next()) {}
        co_await wait_for_more(core, reader, follower);
    }
    run_ending ending = *follower.feed->ending();
    require_end(ending);
    co_await read_outcome(core, follower, ending);
    co_return ending;
}

task<void> stream_run(serve_core& core, api_call& call, run_follower follower, std::unique_ptr<run_writer> writer,
                      http_headers headers)
{
    const last_word_function last_word = writer->last_word();
    task<void> streaming = stream_events(core, call, std::move(follower), std::move(writer), std::move(headers));
    return answer_while_allowed(core.access.watch(), call, std::move(streaming), last_word);
}

}  // namespace weft::serve_detail
