#include "serve_core.hpp"

#include "serve/state/message_ids.hpp"

#include <weft/base/clock.hpp>
#include <weft/base/random.hpp>
#include <weft/observe/telemetry/telemetry.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

served_set first_set(std::vector<served_graph> graphs, std::vector<served_entry> entries)
{
    check_graphs(graphs);
    return served_set{std::move(graphs), std::move(entries)};
}

/** The time in parts of a second: more of them than a server of one loop makes entries. Sixteen frames of each entry
 *  still have numbers that JSON says exactly. */
std::uint64_t first_entry(const serial_loop& loop)
{
    using parts = std::chrono::duration<std::uint64_t, std::ratio<1, 65'536>>;
    const auto now = loop.clock().system_now().time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
    const auto rest = std::chrono::duration_cast<std::chrono::microseconds>(now - seconds);
    return (parts{seconds} + std::chrono::duration_cast<parts>(rest)).count();
}

/** Events of all runs, those that are taken over as well, go to their feeds, and into the log. */
durable_options feeding(durable_options options, const server_options& of, run_event_log& log, run_news& news)
{
    if (of.telemetry && !options.observer) options.observer = of.telemetry;
    if (of.keeps_events && !options.event_log) options.event_log = &log;
    if (of.shows_studio) options.records_requests = true;
    options.amend_writes = [](const run_event& visit, write_set& writes) { return name_messages(visit, writes); };
    options.on_event = [&news, first = std::move(options.on_event)](const thread_key& thread, const run_event& event) {
        if (first) first(thread, event);
        news.tell(thread, event);
    };
    return options;
}

std::unique_ptr<timed_store> timed_by(checkpoint_store& runs, const std::shared_ptr<telemetry>& counts)
{
    return counts ? std::make_unique<timed_store>(runs, counts->metrics()) : nullptr;
}

}  // namespace

serve_core::serve_core(serial_loop& on, server_stores where, std::vector<served_graph> what, server_options how,
                       loop_share share)
    : loop{on}, index{share.index}, stores{where}, options{std::move(how)},
      served{std::make_shared<const served_set>(first_set(std::move(what), options.entries))},
      of_engine{engine_graphs(served->graphs)}, ids{on.clock(), on.random()},
      feeds{on, {options.feed_events_max, options.feeds_closed_max}},
      tapes{on, options.tapes_max, options.feed_events_max, [&on] { return first_entry(on); }},
      news{feeds, tapes, std::move(share.relay)}, follower{*this}, assistants{stores.service->documents()},
      access{on, options.auth, stores.service->documents(),
             [this](std::string_view what) { tell_error("authentication", what); }, std::move(share.gate)},
      timed{timed_by(*stores.runs, options.telemetry)},
      engine{timed ? static_cast<checkpoint_store&>(*timed) : *stores.runs, of_engine,
             feeding(options.runs, options, stores.service->run_events(), news)}
{
}

std::shared_ptr<const hosted_graph> serve_core::find_graph(std::string_view name) const noexcept
{
    const hosted_graph* const found = served->find(name);
    if (!found) return nullptr;
    return {served, found};
}

void serve_core::use(std::shared_ptr<const served_set> next)
{
    of_engine = engine_graphs(next->graphs, of_engine.get());
    engine.use_graphs(of_engine);
    served = std::move(next);
    tenants.clear();  // their assistants of new graphs are made with their next request
}

void serve_core::tell_error(std::string_view where, std::string_view what) const
{
    if (options.on_error) options.on_error(where, what);
}

}  // namespace weft::serve_detail
