#include "thread_stream.hpp"

#include "serve/http/bound_route.hpp"
#include "serve/http/url_text.hpp"
#include "serve/run/run_history.hpp"
#include "serve/wire/stream_frames.hpp"
#include "serve/wire/tape_answer.hpp"
#include "serve/order/threads.hpp"

#include <weft/net/server/http_error.hpp>

#include <boost/json/object.hpp>

#include <array>
#include <charconv>
#include <utility>

namespace weft::serve_detail {

namespace {

constexpr std::uint64_t frames_of_entry_max = 16;

/** What of a thread a client wants to see. */
struct thread_view {
    bool has_runs = false;     ///< The frames of its runs.
    bool has_ends = false;     ///< That a run is over.
    bool has_states = false;   ///< The values after each step.
};

struct thread_stream_fields : field_set {
    using field_set::field_set;

    text_field modes{*this, "stream_mode", "run_modes, lifecycle, state_update: again and again, or with commas"};
};
const thread_stream_fields thread_stream_query{"query"};

thread_view read_thread_view(const api_call& call, std::string_view query)
{
    thread_view view;
    for (const std::string& given : query_values(query, thread_stream_query.modes.name())) {
        for (const std::string& mode : comma_separated(given)) {
            if (mode == "run_modes") view.has_runs = true;
            else if (mode == "lifecycle") view.has_ends = true;
            else if (mode == "state_update") view.has_states = true;
            else thread_stream_query.modes.refuse("expected run_modes, lifecycle or state_update");
        }
    }
    if (!thread_stream_query.modes.in(call)) view.has_runs = true;
    return view;
}

stream_view modes_of(const thread_view& view)
{
    stream_view modes;
    if (view.has_states || view.has_runs) modes.modes.add(stream_mode::values);
    if (!view.has_runs) return modes;
    for (const stream_mode mode : {stream_mode::updates, stream_mode::messages_tuple, stream_mode::custom})
        modes.modes.add(mode);
    return modes;
}

/** Whether the client has got a frame, by the number of the one that it has seen last. */
bool is_seen(std::uint64_t number, std::uint64_t last) noexcept
{
    return number <= last && number / frames_of_entry_max == last / frames_of_entry_max;
}

/** Frames have ids of their run; in the stream of a thread they get those of the thread. */
void append_renumbered(std::string& out, std::string_view frames, std::uint64_t number, std::uint64_t last)
{
    for (; !frames.empty(); ++number) {
        const std::string_view frame = frames.substr(0, frames.find("\n\n") + 2);
        frames.remove_prefix(frame.size());
        if (is_seen(number, last)) continue;
        out.append("id: ").append(std::to_string(number)).append(frame.substr(frame.find('\n')));
    }
}

/** @param last   The number of the frame that the client has seen last. */
void append_entry(std::string& out, const tape_entry& entry, const thread_view& view, std::uint64_t last)
{
    const std::uint64_t number = entry.sequence * frames_of_entry_max;
    if (!entry.event) {
        if ((!view.has_ends && !view.has_runs) || is_seen(number, last)) return;
        boost::json::object data;
        data["status"] = "run_done";
        data["run_id"] = entry.run.text();
        out.append(sse_frame(number, "metadata", data));
        return;
    }
    if (view.has_runs && entry.event->what.what == run_event::kind::run_started && entry.event->what.address.empty())
        out.append(metadata_frame(entry.run, 1));
    std::string frames;
    append_frames(frames, *entry.event, modes_of(view));
    append_renumbered(out, frames, number, last);
}

task<void> stream_thread(serve_core& core, api_call& call)
{
    const thread_view view = read_thread_view(call, call.http().head().query());
    const stored_thread known = co_await require_thread(core, call.thread());
    const std::shared_ptr<thread_tape> tape = co_await whole_tape_of(core, known.thread);
    // Without a word of what it has seen, a client wants what happens from now on.
    std::uint64_t after = tape->last();
    std::uint64_t seen = 0;
    if (const auto last = call.http().headers().find("last-event-id")) {
        std::from_chars(last->data(), last->data() + last->size(), seen);
        after = before_entry(*tape, seen / frames_of_entry_max);
    }
    append_entry_function append = [view, seen](std::string& out, const tape_entry& entry) {
        append_entry(out, entry, view, seen);
    };
    co_await stream_tape(core, call, tape, after, std::move(append));
}

}  // namespace

void add_thread_stream_routes(route_table& routes, serve_core& core)
{
    bind_route(routes, core, "GET", "/threads/{thread_id}/stream", {"threads", "read"}, stream_thread,
               {.summary = "Shows what happens in all runs of a thread, behind Last-Event-ID",
                .query = &thread_stream_query,
                .answer = {.what = good_answer::form::events}});
}

}  // namespace weft::serve_detail
