#pragma once

#include <weft/store/role/forwarding_store.hpp>
#include <weft/store/sealed/value_cipher.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace weft {

/** Encrypts what goes into another store, so that who reads that one learns little.
 *
 *  Sealed are the bodies of checkpoints, blobs, effects and their outcomes, questions, answers, inputs, and why runs
 *  ended. Hashes are hidden: the same text is the same blob within a thread and the threads forked from it, and a
 *  different one everywhere else. In the open stay names (tenants, threads, graphs, nodes, labels, addresses,
 *  idempotency keys), times, numbers and sizes: the store works with them.
 *
 *  Each text is bound to its place. Moved to another one, or changed by a single bit, it is refused. What cannot be
 *  noticed is that the whole thread was put back to an earlier moment.
 *
 *  The store below must take any bytes as body and blob, and must not compare a blob's content with its hash.
 *
 *  @par Errors          As the store below; `errc::store_corrupt` for what does not open, by name.
 *  @par Cancellation    As the store below.
 *  @par Thread safety   As the store below.
 *  @par Lifetimes       It outlives the tasks it gives out.
 */
class sealed_store final : public forwarding_store {
public:
    sealed_store(std::shared_ptr<checkpoint_store> inner, std::shared_ptr<const value_cipher> cipher);

    [[nodiscard]] task<run_admission> enqueue(new_run run) override;
    [[nodiscard]] task<std::vector<run_claim>> claim(worker_id worker, std::size_t max) override;
    [[nodiscard]] task<std::optional<run_claim>> resume(worker_id worker, run_id run) override;
    [[nodiscard]] task<write_state> finish(write_fence fence, run_outcome outcome) override;
    [[nodiscard]] task<bool> change_input(thread_key thread, run_id run, std::string input) override;
    [[nodiscard]] task<std::optional<run_record>> find_run(run_id run) override;
    [[nodiscard]] task<std::optional<run_record>> active_run(thread_key thread) override;

    [[nodiscard]] task<commit_result> commit(write_fence fence, checkpoint_draft draft) override;
    [[nodiscard]] task<std::optional<checkpoint>> load(thread_key thread,
                                                       std::optional<std::int64_t> sequence) override;
    [[nodiscard]] task<std::vector<blob>> read_blobs(thread_key thread, std::vector<content_hash> hashes) override;
    [[nodiscard]] task<bool> fork(thread_key from, std::int64_t sequence, thread_key to, checkpoint_id id) override;

    [[nodiscard]] task<write_state> record(write_fence fence, effect_record effect) override;
    [[nodiscard]] task<std::vector<effect_record>> effects(thread_key thread) override;
    [[nodiscard]] task<write_state> ask(write_fence fence, question_record question) override;
    [[nodiscard]] task<answer_state> answer(thread_key thread, std::string address, std::string answer) override;
    [[nodiscard]] task<std::vector<question_record>> questions(thread_key thread) override;

    [[nodiscard]] task<bool> drop(thread_key thread) override;

private:
    /** What the blobs of a thread are sealed and hidden for: the thread's own, or that of the one that it was forked
     *  from, together with whose blobs it came. It stands in front of each checkpoint's body. */
    struct known_lineage {
        content_hash lineage;
        std::int64_t epoch = -1;  ///< Of the holder that it was looked up for; -1: by a reader.
    };

    task<content_hash> lineage_for(thread_key thread, std::int64_t epoch);
    task<content_hash> stored_lineage(thread_key thread);
    task<std::vector<blob>> read_hidden(thread_key thread, std::vector<content_hash> hashes, content_hash lineage);
    [[nodiscard]] std::optional<known_lineage> find_lineage(const thread_key& thread);
    void remember_lineage(const thread_key& thread, known_lineage what);
    void forget_lineage(const thread_key& thread);

    [[nodiscard]] checkpoint opened(const thread_key& thread, checkpoint found);
    [[nodiscard]] run_claim opened(run_claim claim) const;
    [[nodiscard]] run_record opened(run_record record) const;

    std::shared_ptr<checkpoint_store> owned_;  ///< The store below.
    std::shared_ptr<const value_cipher> cipher_;
    std::mutex mutex_;
    std::unordered_map<thread_key, known_lineage> lineages_;
};

}  // namespace weft
