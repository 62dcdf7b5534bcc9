#include "serve_core.hpp"

#include "serve/state/message_ids.hpp"

#include <weft/base/clock.hpp>
#include <weft/base/random.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

std::shared_ptr<const durable_graphs> durable(const std::vector<served_graph>& graphs)
{
    auto result = std::make_shared<durable_graphs>();
    for (const served_graph& one : graphs) result->add(one.graph, one.limits.value_or(run_options{}));
    return result;
}

/** A run that the worker loop has, which tells its end to no launcher. */
void note_end(const run_event& event, feed_table& feeds, thread_tape* tape)
{
    const bool rests = event.what == run_event::kind::run_finished || event.what == run_event::kind::run_paused;
    if (!rests || !event.address.empty() || feeds.of(event.run)->is_driven()) return;
    feeds.retire(event.run);
    if (!tape) return;
    run_ending ending;
    if (event.text == name_of(run_status::failed)) ending.phase = run_phase::failed;
    if (event.text == name_of(run_status::cancelled)) ending.phase = run_phase::cancelled;
    if (event.text == name_of(run_status::paused)) ending.phase = run_phase::waiting;
    tape->push_end(event.run, std::make_shared<const run_ending>(std::move(ending)));
}

/** Seconds, and in each more entries than a server of one loop makes. Sixteen frames of each entry still have numbers
 *  that JSON says exactly. */
std::uint64_t first_entry(const serial_loop& loop)
{
    const auto now = loop.clock().system_now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count()) << 16;
}

/** Events of all runs, those that are taken over as well, go to their feeds, and into the log. */
durable_options feeding(durable_options options, const server_options& of, run_event_log& log, feed_table& feeds,
                        tape_table& tapes)
{
    if (of.keeps_events && !options.event_log) options.event_log = &log;
    options.amend_writes = [](const run_event& visit, write_set& writes) { name_messages(visit, writes); };
    options.on_event = [&feeds, &tapes, first = std::move(options.on_event)](const thread_key& thread,
                                                                             const run_event& event) {
        if (first) first(thread, event);
        std::shared_ptr<const feed_event> pushed = feeds.of(event.run)->push(event);
        thread_tape* const tape = tapes.find(thread);
        if (tape) tape->push(event.run, std::move(pushed));
        note_end(event, feeds, tape);
    };
    return options;
}

}  // namespace

serve_core::serve_core(serial_loop& on, server_stores where, std::vector<served_graph> what, server_options how)
    : loop{on}, stores{where}, options{std::move(how)}, graphs{std::move(what)}, ids{on.clock(), on.random()},
      feeds{on, {options.feed_events_max, options.feeds_closed_max}},
      tapes{on, options.tapes_max, options.feed_events_max, first_entry(on)}, assistants{stores.service->documents()},
      access{on, options.auth, stores.service->documents(),
             [this](std::string_view what) { tell_error("authentication", what); }},
      engine{*stores.runs, durable(graphs), feeding(options.runs, options, stores.service->run_events(), feeds, tapes)}
{
}

const served_graph* serve_core::find_graph(std::string_view name) const noexcept
{
    for (const served_graph& one : graphs)
        if (one.graph.name() == name) return &one;
    return nullptr;
}

void serve_core::tell_error(std::string_view where, std::string_view what) const
{
    if (options.on_error) options.on_error(where, what);
}

}  // namespace weft::serve_detail
