#pragma once

#include <weft/base/chrono.hpp>
#include <weft/store/record/store_tables.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/** When an operation takes place. */
struct store_moment {
    time_point now;   ///< For lifetimes of workers.
    wall_time today;  ///< For people.
};

/** What a store leaves out. For tests that show that a test can fail. */
enum class store_flaw : std::uint8_t {
    none,
    no_fence,             ///< A holder of a thread may write it for ever.
    no_compare_and_set,   ///< Writes do not look where the history ends, nor whether they are there already.
    no_reap,              ///< Dead workers keep their runs.
    no_queue,             ///< A run of a busy thread begins at once.
    no_idempotency,       ///< Idempotency keys and ids of runs are not looked up.
    no_abilities,         ///< Workers get runs that they cannot run.
    no_turns,             ///< The oldest run comes first, whose tenant ever it is of.
    no_limits,            ///< Limits hold no run back.
    no_back_off,          ///< Runs try again at once.
};

struct store_model_options {
    /** Most bytes of bodies, blobs, effects and questions; then writes fail with `errc::store_full`. */
    std::uint64_t bytes_max = UINT64_MAX;
    /** Of each thread, so many runs that are over are remembered, with their idempotency keys. */
    std::size_t ended_runs_max = 1'000;
    store_flaw flaw = store_flaw::none;
};

/** Decides what a store answers: all rules of `checkpoint_store` on plain data.
 *
 *  It has no clock, no lock and waits for nothing: each operation is told the moment, takes place as a whole, or throws
 *  and changes nothing. `memory_store` is this and a lock. As a value it can be copied, compared with another store
 *  operation by operation, and driven without coroutines.
 *
 *  The operations are those of `checkpoint_store`, with its errors `limit_reached`, `store_full` and `store_corrupt`.
 *
 *  @par Thread safety   As a value.
 */
class store_model {
public:
    explicit store_model(hash_key key, store_model_options options = {})
        : key_{key}, options_{options}
    {
    }

    [[nodiscard]] const hash_key& key() const noexcept { return key_; }
    /** What it remembers, for the roles of a service, which have rules of their own. */
    [[nodiscard]] store_detail::store_tables& tables() noexcept { return tables_; }
    /** Whether the holder of a fence may write the thread now; its head is not compared. */
    [[nodiscard]] write_state check(const write_fence& fence) const;

    [[nodiscard]] worker_id enter(worker_entry entry, store_moment at);
    [[nodiscard]] worker_id enter(std::string name, std::chrono::milliseconds lifetime, store_moment at)
    {
        return enter(worker_entry{std::move(name), lifetime}, at);
    }
    [[nodiscard]] heartbeat_report heartbeat(worker_id worker, std::chrono::milliseconds lifetime, store_moment at);
    [[nodiscard]] bool change_graphs(worker_id worker, std::vector<graph_ability> graphs);
    void leave(worker_id worker, store_moment at);
    std::size_t reap(std::size_t runs_max, store_moment at);

    [[nodiscard]] run_admission enqueue(new_run run, store_moment at);
    [[nodiscard]] std::vector<run_claim> claim(worker_id worker, std::size_t max, store_moment at);
    [[nodiscard]] std::optional<run_claim> resume(worker_id worker, run_id run, store_moment at);
    [[nodiscard]] write_state finish(const write_fence& fence, run_outcome outcome, store_moment at);
    [[nodiscard]] write_state bind(const write_fence& fence, std::string revision, store_moment at);
    [[nodiscard]] bool change_input(const thread_key& thread, run_id run, std::string input);
    [[nodiscard]] write_state yield(const write_fence& fence, store_moment at);
    std::optional<run_id> signal(const thread_key& thread, run_signal what, store_moment at);
    [[nodiscard]] bool cancel_queued(run_id run, store_moment at);
    [[nodiscard]] bool remove(run_id run, store_moment at);
    [[nodiscard]] std::optional<run_record> find_run(run_id run) const;
    [[nodiscard]] std::optional<std::chrono::milliseconds> next_due(store_moment at) const;
    [[nodiscard]] std::optional<run_record> active_run(const thread_key& thread) const;

    [[nodiscard]] commit_result commit(const write_fence& fence, checkpoint_draft draft, store_moment at);
    [[nodiscard]] std::optional<checkpoint> load(const thread_key& thread, std::optional<std::int64_t> sequence) const;
    [[nodiscard]] std::optional<std::pair<thread_key, std::int64_t>> find(checkpoint_id id) const;
    [[nodiscard]] std::vector<blob> read_blobs(const thread_key& thread, const std::vector<content_hash>& hashes) const;
    [[nodiscard]] std::vector<checkpoint_info> history(const thread_key& thread, const history_page& page) const;
    [[nodiscard]] bool fork(const thread_key& from, std::int64_t sequence, const thread_key& to, checkpoint_id id,
                            store_moment at);
    [[nodiscard]] bool label(const thread_key& thread, std::int64_t sequence, std::string name);

    [[nodiscard]] write_state record(const write_fence& fence, effect_record effect, store_moment at);
    [[nodiscard]] std::vector<effect_record> effects(const thread_key& thread) const;
    [[nodiscard]] write_state ask(const write_fence& fence, question_record question, store_moment at);
    [[nodiscard]] answer_state answer(const thread_key& thread, const std::string& address, std::string answer,
                                      store_moment at);
    [[nodiscard]] std::vector<question_record> questions(const thread_key& thread) const;

    prune_report prune(const thread_key& thread, const retention& what);
    [[nodiscard]] bool drop(const thread_key& thread);
    [[nodiscard]] thread_usage usage(const thread_key& thread) const;
    [[nodiscard]] std::vector<thread_summary> threads(const std::string& tenant, const std::string& after,
                                                      std::size_t max) const;

private:
    hash_key key_;
    store_model_options options_;
    store_detail::store_tables tables_;
};

}  // namespace weft
