#pragma once

#include "sqlite_call.hpp"
#include "store/record/batch_gathering.hpp"
#include "store/record/queue_turn.hpp"
#include "store/sqlite/sql/sqlite_file.hpp"

#include <weft/store/sqlite_store.hpp>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace weft::sqlite_detail {

/** An open file: its lock, the OS thread that writes it, those that read it, and their queues.
 *
 *  @par Thread safety   `write` and `read` from any OS thread that has a loop.
 */
class core {
public:
    explicit core(sqlite_options options);
    ~core();
    core(const core&) = delete;
    core& operator=(const core&) = delete;

    /** Before anything else, once. */
    [[nodiscard]] task<void> open();

    /** Runs `work(connection&, const moment&)` on the writing connection, in a transaction with others.
     *  @param bytes  About how much it writes. */
    template <class Work>
    auto write(Work work, std::size_t bytes) -> task<std::invoke_result_t<const Work&, connection&, const moment&>>
    {
        refuse_if_reading_only();
        moment_of_call now;
        const moment made = co_await now;
        const intrusive_ptr<function_call<Work>> made_call{new function_call<Work>{std::move(work), made, bytes}};
        co_await answer_of(writes_, made_call, write_rules_);
        co_return made_call->take();
    }

    /** Runs `work(connection&, const moment&)` on a connection for reading, in a snapshot of its own. */
    template <class Work>
    auto read(Work work) -> task<std::invoke_result_t<const Work&, connection&, const moment&>>
    {
        moment_of_call now;
        const moment made = co_await now;
        const intrusive_ptr<function_call<Work>> made_call{new function_call<Work>{std::move(work), made, 0}};
        co_await answer_of(reads_, made_call, read_rules_);
        co_return made_call->take();
    }

    /** Runs `work(connection&, give)` there, which gives packs of blobs as it goes on.
     *  @param into   Outlives the task. */
    template <class Work>
    task<void> read_packs(Work work, blob_receiver& into)
    {
        const intrusive_ptr<giving_call> made_call{new function_giving_call<Work>{std::move(work)}};
        co_await packs_of(reads_, made_call, read_rules_, into);
    }

    [[nodiscard]] const hash_key& key() const noexcept { return key_; }
    /** Whose turn it is in the queue; for the writing OS thread. */
    [[nodiscard]] store_detail::queue_turn& turn() noexcept { return turn_; }
    [[nodiscard]] sqlite_counts counts() const noexcept;

private:
    struct moment_of_call : this_task::context_awaiter {
        moment await_resume() const { return {context->loop->now(), context->loop->clock().system_now()}; }
    };
    struct opening;

    void refuse_if_reading_only() const;
    void open_file(clock::system_time_point now);
    void open_for_writing(clock::system_time_point now);
    void serve_writes(const intrusive_ptr<opening>& how);
    void serve_reads();

    // A batch of writes. While its transaction is open it grows by the calls that are likely to come.
    enum class growth { open, closed };
    void write_together(call_batch& batch, growth how);
    [[nodiscard]] bool write_once(call_batch& left, call_batch* grown);
    void gather_some(std::size_t calls);
    [[nodiscard]] bool take_more(call_batch& left, call_batch& grown);
    void write_alone(call_batch& batch);
    void answer_all(call_batch& batch) noexcept;
    void fail_all(call_batch& batch) noexcept;
    void refuse_after_lost_sync();
    void refuse_lost_files();
    void copy_log() noexcept;

    sqlite_options options_;
    wait_rules write_rules_;
    wait_rules read_rules_;
    call_queue writes_;
    call_queue reads_;
    hash_key key_;
    std::optional<file_lock> lock_;
    std::vector<named_file> files_;  ///< That are written, while this process has them open.
    std::optional<connection> writer_;
    store_detail::batch_gathering gathering_;
    std::chrono::nanoseconds gathered_{0};  ///< How long the batch has waited for calls while its transaction was open.
    int log_pages_ = 0;
    store_detail::queue_turn turn_;
    std::atomic<std::uint64_t> written_{0};
    std::atomic<std::uint64_t> transactions_{0};
    std::atomic<std::uint64_t> log_resets_{0};
    std::vector<std::thread> readers_;
    std::thread writer_thread_;
};

}  // namespace weft::sqlite_detail
