#pragma once

#include <weft/store/checkpoint_store.hpp>
#include <weft/store/role/announcing_store.hpp>
#include <weft/store/service_store.hpp>

#include <memory>
#include <mutex>
#include <utility>

namespace weft {

class store_model;
struct store_model_options;

/** Keeps runs in the memory of one process: for tests, for simulations, and where nothing has to outlive the process.
 *
 *  It gives every promise of `checkpoint_store` but the one that what is written survives the process; so a run that
 *  was paused, asked something, or lost its worker goes on on any loop of the process. Operations never wait. The time
 *  is that of the loop that asks: all loops have one clock.
 *
 *  @par Errors          `errc::store_full` when the options set a limit; `limit_reached`; `store_corrupt` for a blob
 *                       that was never written.
 *  @par Thread safety   From any OS thread that has a loop.
 *  @par Lifetimes       It outlives the tasks it gives out.
 */
class memory_store final : public announcing_store {
public:
    /** With a new key. */
    memory_store();
    /** @param key  For simulations, where hashes have to be the same each time. */
    explicit memory_store(hash_key key);
    /** `<weft/store/record/store_model.hpp>` has the options. */
    memory_store(hash_key key, store_model_options options);
    /** With what another one held: see `snapshot`. */
    explicit memory_store(store_model from);
    ~memory_store() override;
    memory_store(const memory_store&) = delete;
    memory_store& operator=(const memory_store&) = delete;

    [[nodiscard]] const hash_key& key() const noexcept override;
    /** A copy of all that it holds. */
    [[nodiscard]] store_model snapshot() const;
    /** What a server keeps in it. */
    [[nodiscard]] service_store& service() noexcept;

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
    /** Lets `decide` ask or change the model, alone. */
    template <class Decide>
    auto locked(const Decide& decide)
    {
        const std::lock_guard lock{mutex_};
        return decide(*model_);
    }

    mutable std::mutex mutex_;
    std::unique_ptr<store_model> model_;
    std::unique_ptr<service_store> service_;
};

}  // namespace weft
