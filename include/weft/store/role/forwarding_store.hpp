#pragma once

#include <weft/store/checkpoint_store.hpp>

namespace weft {

/** Hands every operation on to another store: the base of stores that change, watch or disturb some of them.
 *
 *      class slow_store final : public weft::forwarding_store {
 *      public:
 *          using forwarding_store::forwarding_store;
 *          weft::task<weft::commit_result> commit(weft::write_fence fence, weft::checkpoint_draft draft) override;
 *      };
 *
 *  @par Errors          Those of `inner`.
 *  @par Cancellation    As `inner`.
 *  @par Thread safety   As `inner`.
 *  @par Lifetimes       `inner` outlives it.
 */
class forwarding_store : public checkpoint_store {
public:
    explicit forwarding_store(checkpoint_store& inner) noexcept : inner_{inner} {}
    forwarding_store(const forwarding_store&) = delete;
    forwarding_store& operator=(const forwarding_store&) = delete;

    [[nodiscard]] const hash_key& key() const noexcept override { return inner_.key(); }
    [[nodiscard]] store_news* news() noexcept override { return inner_.news(); }
    [[nodiscard]] run_event_log* event_log() noexcept override { return inner_.event_log(); }

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

protected:
    [[nodiscard]] checkpoint_store& inner() const noexcept { return inner_; }

private:
    checkpoint_store& inner_;
};

}  // namespace weft
