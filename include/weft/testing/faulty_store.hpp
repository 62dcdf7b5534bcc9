#pragma once

#include <weft/base/chrono.hpp>
#include <weft/store/role/forwarding_store.hpp>
#include <weft/testing/store/fault_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace weft::testing {

/** Disturbs a store as its seed decides: for simulations of what runs on it.
 *
 *      weft::memory_store real;
 *      weft::testing::faulty_store store{real, weft::testing::store_faults{}.lose_replies(0.1), seed};
 *
 *  A late write takes place before some later operation, in any order among the late ones, or never.
 *  The same seed and the same operations give the same faults. Time passes on the clock of the loop.
 *
 *  @par Thread safety   None: one loop.
 *  @par Lifetimes       `inner` outlives it; it outlives the tasks it gives out.
 */
class faulty_store final : public forwarding_store {
public:
    faulty_store(checkpoint_store& inner, store_faults faults, std::uint64_t seed) noexcept
        : forwarding_store{inner}, plan_{faults, seed}
    {
    }

    /** From now on. */
    void set_faults(store_faults faults) noexcept { plan_.set_faults(faults); }

    using crash_point = fault_plan::crash_point;
    /** Crashes at an operation, counted from 1 since the beginning: it and all later ones fail until `restart`. */
    void crash_at(std::uint64_t operation, crash_point where) noexcept { plan_.crash_at(operation, where); }
    /** Is up again. What was under way is lost. */
    void restart() noexcept;
    [[nodiscard]] bool is_down() const noexcept { return plan_.is_down(); }
    /** How many operations have begun. */
    [[nodiscard]] std::uint64_t operations() const noexcept { return plan_.operations(); }
    /** How many of them something went wrong with, delays not counted. */
    [[nodiscard]] std::uint64_t disturbed() const noexcept { return plan_.disturbed(); }

    // Each operation of the store goes through the plan. Those that are not here reach the store undisturbed.
    using worker_registry::enter;
    [[nodiscard]] task<worker_id> enter(worker_entry entry) override;
    [[nodiscard]] task<heartbeat_report> heartbeat(worker_id worker, std::chrono::milliseconds lifetime) override;
    [[nodiscard]] task<bool> change_graphs(worker_id worker, std::vector<graph_ability> graphs) override;
    [[nodiscard]] task<void> leave(worker_id worker) override;
    [[nodiscard]] task<std::size_t> reap(std::size_t runs_max) override;
    [[nodiscard]] task<run_admission> enqueue(new_run run) override;
    [[nodiscard]] task<std::vector<run_claim>> claim(worker_id worker, std::size_t max) override;
    [[nodiscard]] task<std::optional<run_claim>> resume(worker_id worker, run_id run) override;
    [[nodiscard]] task<write_state> finish(write_fence fence, run_outcome outcome) override;
    [[nodiscard]] task<write_state> bind(write_fence fence, std::string revision) override;
    [[nodiscard]] task<bool> change_input(thread_key thread, run_id run, std::string input) override;
    [[nodiscard]] task<write_state> yield(write_fence fence) override;
    [[nodiscard]] task<std::optional<run_id>> signal(thread_key thread, run_signal what) override;
    [[nodiscard]] task<std::optional<run_record>> find_run(run_id run) override;
    [[nodiscard]] task<std::optional<run_record>> active_run(thread_key thread) override;
    [[nodiscard]] task<commit_result> commit(write_fence fence, checkpoint_draft draft) override;
    [[nodiscard]] task<std::optional<checkpoint>> load(thread_key thread,
                                                       std::optional<std::int64_t> sequence) override;
    [[nodiscard]] task<std::optional<std::pair<thread_key, std::int64_t>>> find(checkpoint_id id) override;
    [[nodiscard]] task<std::vector<blob>> read_blobs(thread_key thread, std::vector<content_hash> hashes) override;
    [[nodiscard]] task<std::vector<checkpoint_info>> history(thread_key thread, history_page page) override;
    [[nodiscard]] task<bool> fork(thread_key from, std::int64_t sequence, thread_key to, checkpoint_id id) override;
    [[nodiscard]] task<bool> label(thread_key thread, std::int64_t sequence, std::string name) override;
    [[nodiscard]] task<write_state> record(write_fence fence, effect_record effect) override;
    [[nodiscard]] task<std::vector<effect_record>> effects(thread_key thread) override;
    [[nodiscard]] task<write_state> ask(write_fence fence, question_record question) override;
    [[nodiscard]] task<answer_state> answer(thread_key thread, std::string address, std::string answer) override;
    [[nodiscard]] task<std::vector<question_record>> questions(thread_key thread) override;
    [[nodiscard]] task<prune_report> prune(thread_key thread, retention what) override;
    [[nodiscard]] task<bool> drop(thread_key thread) override;
    [[nodiscard]] task<thread_usage> usage(thread_key thread) override;
    [[nodiscard]] task<std::vector<thread_summary>> threads(std::string tenant, std::string after,
                                                            std::size_t max) override;

private:
    template <class Make>
    auto through(store_access what, Make make) -> decltype(make());
    /** Lets late writes take place, some of them or none. */
    [[nodiscard]] task<void> deliver_late_writes();

    fault_plan plan_;
    std::vector<task<void>> late_;  // writes that wait for their second, or their only, time
};

}  // namespace weft::testing
