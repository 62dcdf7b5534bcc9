#include "thread_reader.hpp"

#include "durable_core.hpp"
#include "engine/run/run_access.hpp"
#include "run_outcomes.hpp"

#include <weft/base/error.hpp>
#include <weft/engine/checkpoint/newest_checkpoint.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft {

namespace {

error checkpoint_not_found(const thread_key& thread, std::optional<std::int64_t> sequence)
{
    return error{errc::thread_not_found, "thread '" + thread.thread + "'",
                 sequence ? "it has no checkpoint " + std::to_string(*sequence) : "it has no checkpoints"};
}

}  // namespace

task<checkpoint> thread_reader::require_checkpoint(thread_key thread, std::optional<std::int64_t> sequence) const
{
    std::optional<checkpoint> found = co_await core_.patient.load(thread, sequence);
    if (!found) throw checkpoint_not_found(thread, sequence);
    co_return std::move(*found);
}

task<thread_snapshot> thread_reader::snapshot_of(thread_key thread, checkpoint from) const
{
    const std::shared_ptr<const durable_graphs> graphs = core_.graphs;
    const durable_graphs::entry& of = graphs->require(from.graph, from.graph_hash);
    frontier where = co_await core_.patient.read_frontier(std::move(thread), from, of.graph(), of.migrations);
    co_return thread_snapshot{checkpoint_info{from}, of.graph(), std::move(where)};
}

task<thread_snapshot> thread_reader::read(thread_key thread, std::optional<std::int64_t> sequence) const
{
    const auto load = [&] { return core_.patient.load(thread, sequence); };
    const auto read = [&](const checkpoint& from) { return snapshot_of(thread, from); };
    std::optional<thread_snapshot> found = co_await read_newest<thread_snapshot>(load, read);
    if (!found) throw checkpoint_not_found(thread, sequence);
    co_return std::move(*found);
}

/** The newest checkpoint that a run has made; nothing if it has none among the last thousand: pages of a hundred are
 *  read back from the newest, and a run that is over has rarely more behind it. */
task<std::optional<std::int64_t>> thread_reader::last_checkpoint_of(run_record record) const
{
    constexpr int pages_max = 10;
    history_page page;
    for (int i = 0; i < pages_max; ++i) {
        const std::vector<checkpoint_info> infos = co_await core_.patient.history(record.thread, page);
        for (const checkpoint_info& info : infos)
            if (info.run == record.id) co_return info.sequence;
        if (infos.empty()) break;
        page.before = infos.back().sequence;
    }
    co_return std::nullopt;
}

task<run_result> thread_reader::result_of(run_record record) const
{
    run_result result = weft::result_of(record);
    const std::optional<std::int64_t> last = co_await last_checkpoint_of(record);
    if (!last) co_return result;
    const thread_snapshot at = co_await read(record.thread, last);
    result.state = at.state();
    result.steps = at.where().steps;
    result.retries = at.where().retries;
    run_result_access::set_trail(result, at.graph(), at.where().path, at.where().visits);
    if (result.status == run_status::paused) result.paused_at = std::make_shared<const frontier>(at.where());
    co_return result;
}

/** The run that a thread has, or had last; nothing if the store knows neither a run nor a checkpoint. */
task<std::optional<run_id>> thread_reader::newest_run(thread_key thread) const
{
    const std::optional<run_record> active = co_await core_.patient.active_run(thread);
    if (active) co_return active->id;
    const std::optional<checkpoint> head = co_await core_.patient.load(std::move(thread), std::nullopt);
    if (!head) co_return std::nullopt;
    co_return head->run;
}

task<run_result> thread_reader::follow(thread_key thread) const
{
    co_await core_.lease.wait_until_alive();
    const std::optional<run_id> found = co_await newest_run(thread);
    if (!found)
        throw error{errc::thread_not_found, "thread '" + thread.thread + "'", "it has neither a run nor a checkpoint"};
    change_signal::watch changes{*core_.changes, core_.news_name(thread)};
    for (;;) {
        run_record record = co_await core_.patient.require_run(*found);
        if (is_over(record.phase) || record.phase == run_phase::waiting)
            co_return co_await result_of(std::move(record));
        static_cast<void>(co_await changes.wait(core_.look_every()));
    }
}

}  // namespace weft
