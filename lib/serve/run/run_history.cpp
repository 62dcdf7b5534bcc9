#include "run_history.hpp"

#include <weft/base/error.hpp>
#include <weft/engine/trace/stored_run_event.hpp>

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

namespace weft::serve_detail {

namespace {

constexpr std::size_t events_a_page = 500;

/** An event of the log, and what it refers to. */
struct logged_event {
    std::shared_ptr<const stored_event_reader> texts;
    feed_event event;
};

std::shared_ptr<const feed_event> with_texts(run_event event, std::shared_ptr<const stored_event_reader> texts)
{
    const auto both =
        std::make_shared<const logged_event>(logged_event{std::move(texts), feed_event{std::move(event)}});
    return {both, &both->event};
}

/** The events that the log has, oldest first, at most as many as a feed holds. */
task<std::deque<std::shared_ptr<const feed_event>>> read_log(serve_core& core, run_id run, graph of)
{
    const auto reader = std::make_shared<stored_event_reader>(std::move(of));
    std::deque<std::shared_ptr<const feed_event>> events;
    std::uint64_t after = 0;
    for (;;) {
        const event_page page = co_await core.stores.service->run_events().read(run, after, events_a_page);
        if (page.state == event_log_state::pruned && page.first > after + 1) {
            after = page.first - 1;
            continue;
        }
        if (page.events.empty()) break;
        after = page.events.back().id;
        for (const stored_event& each : page.events) {
            run_event event = reader->read(each.data);
            event.run = run;
            // A batch whose outcome was not known was written again.
            const bool is_new = events.empty() || events.back()->what.id < event.id;
            if (is_new) events.push_back(with_texts(std::move(event), reader));
            if (events.size() > core.options.feed_events_max) events.pop_front();
        }
    }
    co_return events;
}

}  // namespace

task<std::shared_ptr<run_feed>> whole_feed_of(serve_core& core, const run_record& run)
{
    std::shared_ptr<run_feed> feed = core.feeds.of(run.id);
    const std::shared_ptr<const served_graph> of = core.find_graph(run.graph);
    if (feed->is_whole() || !of) co_return feed;
    std::string problem;
    try {
        std::deque<std::shared_ptr<const feed_event>> earlier = co_await read_log(core, run.id, of->graph);
        feed->put_before(std::move(earlier));
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
        problem = e.what();
    }
    // What this process has seen itself is better than no stream.
    if (!problem.empty()) core.tell_error("the event log of run " + run.id.text(), problem);
    co_return feed;
}

task<std::shared_ptr<thread_tape>> whole_tape_of(serve_core& core, thread_key thread)
{
    if (core.tapes.find(thread)) co_return core.tapes.of(thread);
    const std::optional<run_record> active = co_await core.stores.runs->active_run(thread);
    latest_run latest;
    if (active) latest.feed = co_await whole_feed_of(core, *active);
    if (active && active->phase == run_phase::waiting)
        latest.rest = std::make_shared<const run_ending>(ending_of(*active));
    co_return co_await core.news.tape_of(std::move(thread), std::move(latest));
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
