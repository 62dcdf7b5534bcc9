#pragma once

#include <weft/base/chrono.hpp>
#include <weft/store/checkpoint_store.hpp>
#include <weft/store/item_store.hpp>
#include <weft/store/postgres/postgres_options.hpp>
#include <weft/store/postgres/postgres_worker_registry.hpp>
#include <weft/store/service_store.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace weft {

namespace postgres_detail {
class postgres_checkpoints;
class postgres_items;
class postgres_runs;
}  // namespace postgres_detail

/** Threads, runs and items in PostgreSQL 14 or newer: for as many processes and machines as one server carries.
 *
 *      const std::unique_ptr<postgres_store> store = co_await postgres_store::open(options);
 *
 *  Calls that come while others are under way go to the server together and share a transaction: the busier the store,
 *  the more checkpoints share a flush to disk. A call that is refused spoils nothing for the others. Only the server's
 *  clock decides about lifetimes.
 *
 *  Texts that name something (tenants, threads, nodes, labels, addresses) are UTF-8 without zeros; bodies and blobs may
 *  be anything. An item's namespace and name together have room for about 2,000 bytes, what an index entry takes.
 *  Between store and server may stand a pooler in session mode only: statements are prepared and settings are set.
 *
 *  @par Errors          As `checkpoint_store`. The message of `store_unavailable` says what the server or the network
 *                       said last. No message contains the password.
 *  @par Cancellation    As `checkpoint_store`; a call that was not sent yet is dropped.
 *  @par Thread safety   From any loop of any OS thread. The connections live on an OS thread of the store's own.
 *  @par Lifetimes       It outlives the tasks it gives out. The destructor waits for its OS thread.
 */
class postgres_store final : public postgres_worker_registry, public item_store {
public:
    /** Connects; sets the tables up if there are none, or brings them to this version.
     *
     *  @par Errors
     *    - `errc::invalid_configuration`  the connection string or the schema's name cannot be right.
     *    - `errc::store_unavailable`      no server answers.
     *    - `errc::store_refused`          the server refuses us, or the tables are of a newer version, or they are
     *      missing and may not be made.
     *    - `errc::cancelled`. */
    [[nodiscard]] static task<std::unique_ptr<postgres_store>> open(postgres_options options);

    /** Sets the tables up, or brings them to this version, and does nothing else: for the role that may create tables,
     *  before programs whose role may not, which `open` without `may_migrate`. Processes that do it at once wait for
     *  each other.
     *  @par Errors   As `open`. */
    [[nodiscard]] static task<void> prepare(postgres_options options);

    ~postgres_store() override;

    /** What a server keeps in the database. */
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

    /** Also forgets all but the last 1,000 runs of the thread that are over. */
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
    explicit postgres_store(std::unique_ptr<postgres_detail::pg_core> core);

    std::unique_ptr<postgres_detail::postgres_runs> runs_;
    std::unique_ptr<postgres_detail::postgres_checkpoints> checkpoints_;
    std::unique_ptr<postgres_detail::postgres_items> items_;
    std::unique_ptr<item_vectors> vectors_;
    std::unique_ptr<service_store> service_;
};

}  // namespace weft
