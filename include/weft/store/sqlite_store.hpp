#pragma once

#include <weft/store/checkpoint_store.hpp>
#include <weft/store/item_store.hpp>
#include <weft/store/service_store.hpp>
#include <weft/store/sqlite/sqlite_options.hpp>
#include <weft/store/sqlite/sqlite_worker_registry.hpp>

#include <cstdint>
#include <memory>

namespace weft {

/** What a SQLite store did so far. */
struct sqlite_counts {
    std::uint64_t writes = 0;        ///< Calls that were answered with success.
    std::uint64_t transactions = 0;  ///< Commits they took together.
    std::uint64_t log_resets = 0;    ///< How often the log was copied into the file.
};

/** Checkpoints, runs and items in a SQLite file: the store of one process on one machine.
 *
 *      const std::unique_ptr<sqlite_store> store = co_await sqlite_store::open(sqlite_options{"weft.db"});
 *
 *  One connection writes, on an OS thread of its own. Calls that come together share a transaction, at most 64 of them
 *  or about a megabyte, so that many runs cost few waits for the disk; a call that fails takes none of the others with
 *  it. Others read meanwhile, on OS threads of their own, each from a snapshot.
 *
 *  A second store on one file is refused: several processes share a PostgreSQL database. So when a file is opened, no
 *  process can be at work on it, and every run that a crash cut short is `ready` again at once, or `dead` when its
 *  attempts are used up; its holder's writes are fenced.
 *
 *  Leases of workers are measured with the clock of the calling loop, which does not jump. Of each thread, a thousand
 *  runs that are over are remembered.
 *
 *  @par Errors          Beside those of `checkpoint_store`:
 *    - `errc::store_unavailable`      The disk fails, another program locks the file, or the answer took too long
 *      before the work began. After a failed sync all further writes, because it is unknown what of them the disk
 *      keeps: start the process anew.
 *    - `errc::store_outcome_unknown`  A sync failed, or the answer took too long after the work began.
 *    - `errc::store_refused`          The file may not be written, or the store was opened for reading only.
 *    - `errc::limit_reached`          `waiting_max` calls wait already.
 *  @par Cancellation    At once. A write that has not begun never does.
 *  @par Thread safety   From any OS thread that has a loop.
 *  @par Lifetimes       It outlives the tasks it gives out. Its destructor waits for the transaction under way and
 *                       copies the log into the file.
 */
class sqlite_store final : public sqlite_worker_registry, public item_store {
public:
    /** Opens a file, makes it if need be, and brings its schema up to date.
     *
     *  @par Errors
     *    - `errc::store_in_use`       another process, or another store of this one, writes the file.
     *    - `errc::store_refused`      it is of a newer weft or of another program, may not be written, or lies on a
     *      network file system.
     *    - `errc::store_corrupt`      it is damaged or no database.
     *    - `errc::store_unavailable`  its directory is not there.
     *    - `errc::invalid_configuration`  the options name no file or no reader.
     *  @par Cancellation    The caller's frame waits for the step under way, at most a check of the whole file. */
    [[nodiscard]] static task<std::unique_ptr<sqlite_store>> open(sqlite_options options);
    ~sqlite_store() override;

    [[nodiscard]] sqlite_counts counts() const noexcept;
    /** What a server keeps in the file. */
    [[nodiscard]] service_store& service() noexcept;

    [[nodiscard]] const hash_key& key() const noexcept override;

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
    [[nodiscard]] task<void> read_ahead(thread_key thread, std::vector<content_hash> roots, std::size_t likely,
                                        blob_receiver& into) override;
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

    [[nodiscard]] task<void> put(std::string tenant, item_key key, boost::json::value value,
                                 std::optional<std::chrono::milliseconds> lifetime) override;
    [[nodiscard]] task<std::optional<stored_item>> get(std::string tenant, item_key key) override;
    [[nodiscard]] task<bool> erase(std::string tenant, item_key key) override;
    [[nodiscard]] task<std::vector<stored_item>> list(std::string tenant, std::vector<std::string> space,
                                                      std::optional<item_key> after, std::size_t max) override;
    [[nodiscard]] task<std::size_t> sweep(std::size_t max) override;
    [[nodiscard]] item_vectors* vectors() noexcept override;

private:
    explicit sqlite_store(std::unique_ptr<sqlite_detail::core> core);

    std::unique_ptr<service_store> service_;
    std::unique_ptr<item_vectors> vectors_;
};

}  // namespace weft
