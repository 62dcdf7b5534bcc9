#pragma once

#include <weft/async/task.hpp>
#include <weft/store/record/journal.hpp>
#include <weft/store/record/run_record.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/** Which part of a thread's history to read, newest first. */
class history_page {
public:
    history_page() noexcept {}
    history_page& before(std::int64_t sequence) { before_ = sequence; return *this; }
    history_page& at_most(std::size_t count) { count_ = count; return *this; }
    history_page& only(checkpoint_kind kind) { kind_ = kind; return *this; }

    [[nodiscard]] std::optional<std::int64_t> before() const noexcept { return before_; }
    [[nodiscard]] std::size_t at_most() const noexcept { return count_; }
    [[nodiscard]] std::optional<checkpoint_kind> only() const noexcept { return kind_; }

private:
    std::optional<std::int64_t> before_;
    std::optional<checkpoint_kind> kind_;
    std::size_t count_ = 100;
};

/** Which checkpoints of a thread to keep; what is named, forked from, or open to a question stays in any case, and
 *  so does the newest one. */
class retention {
public:
    retention() noexcept {}
    retention& keep_last(std::size_t count) { keep_last_ = count; return *this; }
    /** Older ones go even if they are among the last. */
    retention& older_than(wall_time moment) { older_than_ = moment; return *this; }

    [[nodiscard]] std::size_t keep_last() const noexcept { return keep_last_; }
    [[nodiscard]] std::optional<wall_time> older_than() const noexcept { return older_than_; }

private:
    std::size_t keep_last_ = 20;
    std::optional<wall_time> older_than_;
};

/** What a store holds of a thread. */
struct thread_usage {
    std::uint64_t checkpoints = 0;
    std::uint64_t blobs = 0;
    std::uint64_t bytes = 0;  ///< Bodies, blobs, effects and questions; without indexes.
};

struct prune_report {
    std::uint64_t checkpoints = 0;
    std::uint64_t blobs = 0;
    std::uint64_t bytes = 0;
};

/** A thread in a list. */
struct thread_summary {
    thread_key thread;
    std::int64_t head = 0;
    std::optional<run_id> active;
    wall_time changed;
};

/** Keeps what runs must not forget: checkpoints, effects, questions, and who may write them.
 *
 *  The promise: a thread's history is one chain of checkpoints that only the holder of the thread extends. Every write
 *  carries a fence and is one transaction with its check, so that a process that lost its thread without noticing
 *  changes nothing, and so that a crash leaves either all of a write or nothing.
 *
 *  @par Errors
 *    - `errc::store_unavailable`      The store cannot be reached, or did not answer in time, and nothing was done.
 *    - `errc::store_outcome_unknown`  The store went away during the write: reload the head to see whether it counts.
 *    - `errc::store_full`             No space, or a quota is used up. Nothing was written; reading goes on.
 *    - `errc::store_corrupt`          What is stored cannot be right; the message names what and where.
 *    - `errc::store_refused`          The store refuses for another reason; the message has its words.
 *    - `errc::limit_reached`          A name, text or list is longer than allowed.
 *  @par Cancellation    A write that was given to the store takes place or not as a whole; the caller gets
 *                       `errc::cancelled` at once.
 *  @par Thread safety   From any OS thread that has a loop.
 *  @par Lifetimes       It outlives the tasks it gives out.
 */
class checkpoint_store {
public:
    virtual ~checkpoint_store() = default;

    /** What blobs of this store are hashed with. Valid once the store is open. */
    [[nodiscard]] virtual const hash_key& key() const noexcept = 0;

    // Workers: who is alive.

    /** Enters a process under a new number. Unless it gives signs of life within `lifetime`, it is given up.
     *  @param name  For people. */
    [[nodiscard]] virtual task<worker_id> enter(std::string name, std::chrono::milliseconds lifetime) = 0;
    /** A sign of life, and what is wanted of the worker's runs. */
    [[nodiscard]] virtual task<heartbeat_report> heartbeat(worker_id worker, std::chrono::milliseconds lifetime) = 0;
    /** The process goes: its runs are `ready` again at once. */
    [[nodiscard]] virtual task<void> leave(worker_id worker) = 0;
    /** Gives up workers without a sign of life: from that moment their writes are fenced, and their runs are `ready`
     *  again, as suspects, or `dead` when their attempts are used up. @return How many runs. */
    [[nodiscard]] virtual task<std::size_t> reap(std::size_t runs_max) = 0;

    // Runs: who may write a thread.

    /** Enters a run. A thread has one active run at a time: ready, running or waiting. A run that is `waiting` counts
     *  as active for `reject` and `queue`; `replace` ends it as cancelled. */
    [[nodiscard]] virtual task<run_admission> enqueue(new_run run) = 0;
    /** Takes up to `max` ready runs, oldest first. At most one of them is a suspect (`run_record::is_suspect`), and
     *  none while the worker has one; a suspect that has cost a second worker is taken while no worker has another. */
    [[nodiscard]] virtual task<std::vector<run_claim>> claim(worker_id worker, std::size_t max) = 0;
    /** Takes a run that waits, to resume it, or one that is ready.
     *  @return Nothing if the run is over, unknown, another worker has it, or it is a suspect that `claim` would not
     *          take now. */
    [[nodiscard]] virtual task<std::optional<run_claim>> resume(worker_id worker, run_id run) = 0;
    /** Gives a run back: it is over, or it waits. The next queued run of the thread becomes ready when it is over. One
     *  that waits for answers is ready instead if they are there (`run_outcome::for_answers_below`), unless it is asked
     *  to pause. */
    [[nodiscard]] virtual task<write_state> finish(write_fence fence, run_outcome outcome) = 0;
    /** Gives a run back unfinished, to be taken at once by whoever claims next; its attempt does not count. */
    [[nodiscard]] virtual task<write_state> yield(write_fence fence) = 0;
    /** Asks the active run of a thread to pause or cancel. A run that nobody holds is cancelled at once, also one that
     *  begins to wait with the request open; a pause is done with when the run waits. A stronger signal stays.
     *  @return The run; nothing if none is active. */
    [[nodiscard]] virtual task<std::optional<run_id>> signal(thread_key thread, run_signal what) = 0;
    [[nodiscard]] virtual task<std::optional<run_record>> find_run(run_id run) = 0;
    [[nodiscard]] virtual task<std::optional<run_record>> active_run(thread_key thread) = 0;

    // Checkpoints.

    /** Writes a checkpoint behind the head: the checkpoint, its blobs, and what it settles, or nothing at all. */
    [[nodiscard]] virtual task<commit_result> commit(write_fence fence, checkpoint_draft draft) = 0;
    /** A checkpoint of a thread; without a number the newest. Nothing if there is none. */
    [[nodiscard]] virtual task<std::optional<checkpoint>> load(thread_key thread,
                                                               std::optional<std::int64_t> sequence) = 0;
    /** Where a checkpoint is, by its id. Nothing if there is none. */
    [[nodiscard]] virtual task<std::optional<std::pair<thread_key, std::int64_t>>> find(checkpoint_id id) = 0;
    /** The blobs of these hashes, in any order.
     *  @par Errors  `store_corrupt` if one is missing. */
    [[nodiscard]] virtual task<std::vector<blob>> read_blobs(thread_key thread, std::vector<content_hash> hashes) = 0;
    [[nodiscard]] virtual task<std::vector<checkpoint_info>> history(thread_key thread, history_page page) = 0;
    /** Makes a thread that begins with a copy of a checkpoint, of the kind `edit`; its history is shared by nobody.
     *  @return False if there is no such checkpoint, or `to` has a history already. */
    [[nodiscard]] virtual task<bool> fork(thread_key from, std::int64_t sequence, thread_key to, checkpoint_id id) = 0;
    /** Gives a checkpoint a name; empty takes it away. @return False if there is no such checkpoint. */
    [[nodiscard]] virtual task<bool> label(thread_key thread, std::int64_t sequence, std::string name) = 0;

    // The journal: effects and questions of the visits that are under way.

    /** Writes an effect's intent or outcome. An outcome replaces the intent of its address; a further intent or outcome
     *  of an address that has one is `duplicate`. */
    [[nodiscard]] virtual task<write_state> record(write_fence fence, effect_record effect) = 0;
    /** All effects of a thread that are not settled, by address. */
    [[nodiscard]] virtual task<std::vector<effect_record>> effects(thread_key thread) = 0;
    /** Asks a question; `duplicate` if its address is in use. */
    [[nodiscard]] virtual task<write_state> ask(write_fence fence, question_record question) = 0;
    /** Answers it, from any process, once. In the same transaction the thread's run that waits becomes ready, if no
     *  question is open any more whose address has the same first part, up to '/'; the engine puts a run's id there.
     *  With `already_answered`, too. */
    [[nodiscard]] virtual task<answer_state> answer(thread_key thread, std::string address, std::string answer) = 0;
    /** All questions of a thread that are not settled, oldest first. */
    [[nodiscard]] virtual task<std::vector<question_record>> questions(thread_key thread) = 0;

    // Housekeeping.

    [[nodiscard]] virtual task<prune_report> prune(thread_key thread, retention what) = 0;
    /** Forgets a thread, whatever its runs do: from that moment their writes are fenced, and stay so.
     *  @return False if there was none. */
    [[nodiscard]] virtual task<bool> drop(thread_key thread) = 0;
    [[nodiscard]] virtual task<thread_usage> usage(thread_key thread) = 0;
    /** Threads of a tenant by name, after `after`. */
    [[nodiscard]] virtual task<std::vector<thread_summary>> threads(std::string tenant, std::string after,
                                                                    std::size_t max) = 0;
};

/** The longest texts that stores take, in bytes. */
struct store_limits {
    static constexpr std::size_t name_bytes_max = 512;           ///< Tenants, threads, labels, idempotency keys.
    static constexpr std::size_t address_bytes_max = 2048;
    static constexpr std::size_t text_bytes_max = 8u << 20;      ///< A blob, a body, an input, an effect, a question.
    static constexpr std::size_t commit_bytes_max = 64u << 20;   ///< All of a commit.
};

}  // namespace weft
