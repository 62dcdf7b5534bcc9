#include "claim_table.hpp"

#include "change_signal.hpp"
#include "engine/commit/store_call.hpp"
#include "worker_lease.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/wait/deadline.hpp>

#include <algorithm>
#include <utility>

namespace weft {

claim_table::claim_table(checkpoint_store& store, worker_lease& lease, const durable_options& options,
                         change_signal& changes)
    : store_{store}, lease_{lease}, options_{options}, changes_{changes}
{
}

std::size_t claim_table::count(run_id run) const noexcept
{
    return static_cast<std::size_t>(std::count(claims_.begin(), claims_.end(), run));
}

void claim_table::remove(run_id run) { claims_.erase(std::find(claims_.begin(), claims_.end(), run)); }

task<void> claim_table::settle()
{
    co_await look_up_doubtful();
    while (!abandoned_.empty() && lease_.is_alive()) {
        store_answer<write_state> answer = co_await answer_of(store_.yield(abandoned_.back()));
        // A run that is not given back would be this worker's for ever.
        if (!answer && may_pass(answer.code)) co_return;
        abandoned_.pop_back();
    }
}

// By index, since calls that end meanwhile add to the list.
task<void> claim_table::look_up_doubtful()
{
    for (std::size_t i = 0; i < doubtful_.size() && lease_.is_alive();) {
        store_answer<bool> settled = co_await answer_of(is_settled(doubtful_[i]));
        if (!settled) co_return;
        if (*settled.value)
            doubtful_.erase(doubtful_.begin() + static_cast<std::ptrdiff_t>(i));
        else
            ++i;
    }
}

/** @par Errors  Those of the store: the run is looked up again with the next heartbeat. */
task<bool> claim_table::is_settled(doubtful_run run)
{
    const std::optional<run_record> record =
        co_await with_deadline(store_.find_run(run.id), options_.heartbeat_every);
    const bool is_unknown = record && record->phase == run_phase::running && record->worker == lease_.worker() &&
                            count(run.id) == 0;
    if (is_unknown && run.is_stopped)
        co_await with_deadline(store_.signal(record->thread, run_signal::cancel), options_.heartbeat_every);
    if (is_unknown) abandoned_.push_back(write_fence{record->thread, run.id, record->epoch, 0});
    co_return is_unknown || lease_.loop().now() >= run.until;
}

task<void> claim_table::leave_if_unsure()
{
    if (!has_only_unknown_runs() || lease_.worker() == 0) co_return;
    has_unknown_runs_ = false;
    // A store that has not heard it gives the worker up in time.
    static_cast<void>(
        co_await answer_of(with_deadline(store_.leave(lease_.drop()), options_.lifetime)));
}

possible_claim::possible_claim(claim_table& table, run_id run) : table_{table}, run_{run}
{
    table_.claims_.push_back(run_);
}

possible_claim::~possible_claim()
{
    table_.remove(run_);
    if (!is_open_) return;
    if (run_.is_nil())
        table_.has_unknown_runs_ = true;
    else
        table_.doubtful_.push_back({run_, is_stopped_, table_.lease_.loop().now() + table_.options_.lifetime});
}

claim_guard::claim_guard(claim_table& table, write_fence fence) : table_{table}, fence_{std::move(fence)}
{
    table_.claims_.push_back(fence_.run);
}

claim_guard::~claim_guard()
{
    table_.remove(fence_.run);
    if (is_open_) table_.abandoned_.push_back(fence_);
    // Where runs wait for places, many requests wait, and each would ask the store.
    const store_news* const news = table_.options_.performed_max ? table_.store_.news() : nullptr;
    if (news) table_.changes_.notify_about(news->name_of(fence_.thread));
    else table_.changes_.notify();
}

}  // namespace weft
