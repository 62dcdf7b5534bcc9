#pragma once

#include "engine/commit/store_call.hpp"
#include "worker_lease.hpp"

#include <weft/async/sleep.hpp>
#include <weft/engine/checkpoint/checkpoint_outline.hpp>
#include <weft/engine/checkpoint/graph_migration.hpp>
#include <weft/engine/scheduler/frontier.hpp>
#include <weft/store/checkpoint_store.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {

/** A store that is asked again while it does not answer and this process counts as alive.
 *
 *  Only calls that may be made twice stand here: reading, and writes whose second try finds what the first one did.
 *
 *  @par Errors          Those of the store; `store_unavailable` and `store_outcome_unknown` only once the process does
 *                       not count as alive any more.
 *  @par Thread safety   None.
 *  @par Lifetimes       Store and lease outlive it, and it its tasks.
 */
class patient_store {
public:
    patient_store(checkpoint_store& store, const worker_lease& lease) noexcept : store_{store}, lease_{lease} {}

    [[nodiscard]] task<std::optional<run_record>> find_run(run_id run) const;
    /** @par Errors  `thread_not_found` if the run is forgotten. */
    [[nodiscard]] task<run_record> require_run(run_id run) const;
    [[nodiscard]] task<std::optional<run_record>> active_run(thread_key thread) const;
    [[nodiscard]] task<run_admission> enqueue(new_run entry) const;
    [[nodiscard]] task<bool> change_input(thread_key thread, run_id run, std::string input) const;
    [[nodiscard]] task<std::optional<run_id>> signal(thread_key thread, run_signal what) const;
    [[nodiscard]] task<std::size_t> reap(std::size_t runs_max) const;

    /** A checkpoint; without a number the newest. */
    [[nodiscard]] task<std::optional<checkpoint>> load(thread_key thread, std::optional<std::int64_t> sequence) const;
    [[nodiscard]] task<std::vector<checkpoint_info>> history(thread_key thread, history_page page) const;
    /** @par Lifetimes  `from` outlives the task. */
    [[nodiscard]] task<frontier> read_frontier(thread_key thread, const checkpoint& from, graph of,
                                               std::shared_ptr<const graph_migrations> by) const;
    [[nodiscard]] task<checkpoint_outline> read_outline(thread_key thread, checkpoint from) const;
    /** Whether a checkpoint of this id is there. */
    [[nodiscard]] task<bool> has_checkpoint(checkpoint_id id) const;
    [[nodiscard]] task<bool> drop(thread_key thread) const;

    [[nodiscard]] task<std::vector<effect_record>> effects(thread_key thread) const;
    [[nodiscard]] task<std::vector<question_record>> questions(thread_key thread) const;
    [[nodiscard]] task<answer_state> answer(thread_key thread, std::string address, std::string answer) const;

    /** Awaits what `call` gives for the store, again and again. */
    template <class Call>
    [[nodiscard]] auto until_answered(Call call) const -> std::invoke_result_t<Call&, checkpoint_store&>
    {
        using result = typename std::invoke_result_t<Call&, checkpoint_store&>::value_type;
        for (int failures = 1;; ++failures) {
            store_answer<result> answer = co_await answer_of(call(store_));
            if (answer) co_return std::move(*answer.value);
            if (!answer.may_retry() || !lease_.is_alive()) std::rethrow_exception(answer.error);
            co_await sleep_for(retry_delay(failures));
        }
    }

private:
    checkpoint_store& store_;
    const worker_lease& lease_;
};

}  // namespace weft
