#include "run_answers.hpp"

#include "serve/http/open_answer.hpp"
#include "serve/order/runs.hpp"
#include "serve/state/state_text.hpp"
#include "serve/state/state_wire.hpp"
#include "serve/wire/views.hpp"

#include <weft/base/error.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <memory>
#include <string_view>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;

/** Where a client finds the run that it has begun. */
http_headers place_header(const langgraph_follower& of)
{
    http_headers headers;
    if (of.thread && of.is_start) headers.set("Content-Location", place_of_run(of.thread->thread, of.feed->run()));
    return headers;
}

http_headers headers_for(const langgraph_follower& of)
{
    http_headers headers = place_header(of);
    forbid_buffering(headers);
    return headers;
}

array asked_in(const run_ending& of)
{
    array asked;
    for (const open_question& question : of.questions) asked.push_back(interrupt_view(question));
    return asked;
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

std::string last_frame(const std::string& why) { return error_frame("unauthenticated", why); }

class langgraph_writer final : public run_writer {
public:
    explicit langgraph_writer(const langgraph_follower& to)
        : view_{to.view}, seen_{to.seen}, is_under_way_{to.seen > 0}
    {
        if (to.is_start) first_ = metadata_frame(to.feed->run(), 1);
    }

    void begin(std::string& out) override { out.append(std::exchange(first_, {})); }
    std::string_view protocol() const noexcept override { return "langgraph"; }
    event_frames frames(const feed_event& event) override
    {
        event_frames result = frames_of(event, view_, seen_);
        if (std::shared_ptr<const std::string> mark = mark_of(event.what)) result.insert(result.begin(), mark);
        return result;
    }
    bool is_long(const feed_event& event) const override { return needs_state_frames(event, view_); }
    task<void> prepare(const feed_event& event) override { return make_state_frames(event); }
    void end(std::string& out, const run_ending& ending) override
    {
        if (!ending.error.empty()) out.append(error_frame(ending.error, ending.message));
    }
    last_word_function last_word() const noexcept override { return last_frame; }

private:
    /** A run that its process has lost begins again at its last checkpoint. As LangGraph's server does, it says so with
     *  the next attempt: what came of nodes that had not ended comes anew. */
    std::shared_ptr<const std::string> mark_of(const run_event& event)
    {
        using kind = run_event::kind;
        if (!event.address.empty()) return nullptr;
        if (event.what == kind::run_paused || event.what == kind::run_finished) is_under_way_ = false;
        // The last event of a client that joins again is read again.
        const bool is_known = event.id == frame_id::of(seen_).event;
        if (event.what != kind::run_started || is_known || !std::exchange(is_under_way_, true)) return nullptr;
        return std::make_shared<const std::string>(metadata_frame(event.run, ++attempt_));
    }

    stream_view view_;
    std::uint64_t seen_;
    bool is_under_way_;
    std::uint32_t attempt_ = 1;
    std::string first_;
};

task<void> answer_at_end(serve_core& core, api_call& call, langgraph_follower follower)
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
    std::string body;
    run_ending ending = *follower.feed->ending();
    require_end(ending);
    co_await read_outcome(core, follower, ending);
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

std::string last_outcome(const std::string& why)
{
    run_ending ending;
    ending.error = "unauthenticated";
    ending.message = why;
    return boost::json::serialize(failure_for_client(ending));
}

}  // namespace

task<void> stream_for_langgraph(serve_core& core, api_call& call, langgraph_follower follower)
{
    auto writer = std::make_unique<langgraph_writer>(follower);
    http_headers headers = place_header(follower);
    return stream_run(core, call, std::move(follower), std::move(writer), std::move(headers));
}

task<void> wait_for_langgraph(serve_core& core, api_call& call, langgraph_follower follower)
{
    task<void> waiting = answer_at_end(core, call, std::move(follower));
    return answer_while_allowed(core.access.watch(), call, std::move(waiting), last_outcome);
}

}  // namespace weft::serve_detail
