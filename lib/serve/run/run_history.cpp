#include "run_history.hpp"

#include "serve/feed/log_reading.hpp"

#include <weft/base/error.hpp>

#include <chrono>
#include <deque>
#include <functional>
#include <string>
#include <utility>

namespace weft::serve_detail {

namespace {

constexpr std::size_t events_a_page = 500;
constexpr std::chrono::seconds unread_tape_max{5};

using event_function = std::function<void(run_event event)>;

/** Reads the log from where `reading` stands to its end. What is gone is passed over.
 *  @param gap   Called for that.
 *  @par Lifetimes   All outlive the task. */
task<void> read_to_end(serve_core& core, run_id run, log_reading& reading, const event_function& take,
                       const std::function<void()>& gap)
{
    const slot_limiter::slot slot = co_await reading.one_read.acquire();
    for (std::size_t count = events_a_page; count == events_a_page;) {
        const event_page page = co_await core.stores.service->run_events().read(run, reading.after, events_a_page);
        if (page.state == event_log_state::pruned && page.first > reading.after + 1) {
            reading.after = page.first - 1;
            gap();
            continue;
        }
        count = page.events.size();
        for (const stored_event& each : page.events) {
            reading.after = each.id;
            run_event event = reading.events.read(each.data);
            event.run = run;
            take(std::move(event));
        }
    }
}

/** What the log of a run has. */
struct read_events {
    std::deque<std::shared_ptr<const feed_event>> events = {};  ///< Oldest first, at most as many as a feed holds.
    bool is_cut = false;                                         ///< What came before is gone.
};

task<read_events> read_log(serve_core& core, run_id run, std::shared_ptr<log_reading> reading)
{
    read_events found;
    std::deque<std::shared_ptr<const feed_event>>& events = found.events;
    const event_function take = [&](run_event event) {
        // A batch whose outcome was not known was written again.
        if (!events.empty() && event.id <= events.back()->what.id) return;
        events.push_back(std::make_shared<const feed_event>(core.feeds.names().with_own_names(std::move(event))));
        if (events.size() > core.options.feed_events_max) {
            events.pop_front();
            found.is_cut = true;
        }
    };
    const std::function<void()> gap = [&] { found.is_cut = true; };
    co_await read_to_end(core, run, *reading, take, gap);
    co_return found;
}

/** The run of a thread that was made last, where other processes may make some; else, or if there is none, nil. */
task<run_id> newest_run(serve_core& core, thread_key thread)
{
    if (!core.follower.has_others()) co_return run_id{};
    run_query of_thread;
    of_thread.tenant = thread.tenant;
    of_thread.thread = thread.thread;
    of_thread.count_max = 1;
    const run_page page = co_await core.stores.service->runs().search(std::move(of_thread));
    co_return page.runs.empty() ? run_id{} : page.runs.front().id;
}

}  // namespace

void begin_log(serve_core& core, run_feed& feed, std::string_view graph, std::uint64_t after)
{
    const std::shared_ptr<const hosted_graph> of = core.find_graph(graph);
    if (of && !feed.logged()) feed.set_logged(std::make_shared<log_reading>(of->graph, after));
}

task<void> read_on(serve_core& core, thread_key thread, std::shared_ptr<run_feed> feed)
{
    const std::shared_ptr<log_reading> reading = feed->logged();
    if (!reading) co_return;
    const event_function take = [&](run_event event) { core.news.tell_logged(thread, *feed, event); };
    const std::function<void()> gap = [&] { feed->note_gap(); };
    co_await read_to_end(core, feed->run(), *reading, take, gap);
}

task<std::shared_ptr<run_feed>> whole_feed_of(serve_core& core, const run_record& run)
{
    std::shared_ptr<run_feed> feed = core.feeds.of(run.id);
    const std::shared_ptr<const hosted_graph> of = core.find_graph(run.graph);
    if (feed->is_whole() || !of) co_return feed;
    std::string problem;
    try {
        const auto reading = std::make_shared<log_reading>(of->graph);
        read_events found = co_await read_log(core, run.id, reading);
        feed->put_around(std::move(found.events), found.is_cut);
        if (!feed->logged()) feed->set_logged(reading);
    } catch (const error& e) {
        // A client that is refused joins again, and one that gets a part takes it for the whole.
        if (e.code() == errc::cancelled || is_store_away(e.code())) throw;
        problem = e.what();
    }
    // Of a log that cannot be read at all, what this process has seen itself is better than no stream.
    if (!problem.empty()) core.tell_error("the event log of run " + run.id.text(), problem);
    co_return feed;
}

task<std::shared_ptr<thread_tape>> whole_tape_of(serve_core& core, thread_key thread)
{
    const thread_tape* const known = core.tapes.find(thread);
    // One that was made for a client that did not come has not followed what other processes did since.
    const bool is_old = known && core.follower.has_others() && !known->is_read() &&
                        core.loop.now() - known->made_at() > unread_tape_max;
    if (known && !is_old) co_return core.tapes.of(thread);
    if (is_old) core.tapes.forget(thread);
    // Before it is asked what goes on now: a run that begins in between is a new one.
    const run_id newest = co_await newest_run(core, thread);
    const std::optional<run_record> active = co_await core.stores.runs->active_run(thread);
    latest_run latest;
    if (active) latest.feed = co_await whole_feed_of(core, *active);
    if (active && active->phase == run_phase::waiting)
        latest.rest = std::make_shared<const run_ending>(ending_of(*active));
    std::shared_ptr<thread_tape> tape = co_await core.news.tape_of(thread, latest);
    if (!core.follower.has_others()) co_return tape;
    tape->when_read([&core, thread, latest, newest] { return core.follower.follow_tape(thread, latest, newest); });
    co_return tape;
}

run_ending ending_of(const run_record& run)
{
    run_ending ending;
    ending.phase = run.phase;
    if (run.phase != run_phase::failed && run.phase != run_phase::dead) return ending;
    ending.error = "node_failed";
    ending.message = run.message;
    return ending;
}

}  // namespace weft::serve_detail
