#pragma once

#include <weft/base/errc.hpp>
#include <weft/base/random.hpp>
#include <weft/store/role/forwarding_store.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace weft::testing {

/** What goes wrong between a caller and its store: shares of its operations, from 0 to 1. */
class store_faults {
public:
    store_faults() noexcept {}
    /** The request is lost: `store_unavailable`, and nothing was done. */
    store_faults& lose_requests(double share) { requests_lost = share; return *this; }
    /** It was done, but the caller does not learn it: `store_outcome_unknown`; of a read `store_unavailable`. */
    store_faults& lose_replies(double share) { replies_lost = share; return *this; }
    /** The caller of a write gets `store_outcome_unknown`; the write takes place before a later operation. */
    store_faults& deliver_late(double share) { delivered_late = share; return *this; }
    /** A write that succeeds takes place once more before a later operation. */
    store_faults& deliver_twice(double share) { delivered_twice = share; return *this; }
    /** A write is refused: `store_full`. */
    store_faults& be_full(double share) { full = share; return *this; }
    /** Requests and replies take up to so long each, so that they overtake one another. */
    store_faults& delay_up_to(std::chrono::milliseconds span) { delay_max = span; return *this; }

    double requests_lost = 0;
    double replies_lost = 0;
    double delivered_late = 0;
    double delivered_twice = 0;
    double full = 0;
    std::chrono::milliseconds delay_max{0};
};

/** Disturbs a store as its seed decides: for simulations of what runs on it.
 *
 *      weft::memory_store real;
 *      weft::testing::faulty_store store{real, weft::testing::store_faults{}.lose_replies(0.1), seed};
 *
 *  The same seed and the same operations give the same faults. Time passes on the clock of the loop.
 *
 *  @par Thread safety   None: one loop.
 *  @par Lifetimes       `inner` outlives it; it outlives the tasks it gives out.
 */
class faulty_store final : public forwarding_store {
public:
    faulty_store(checkpoint_store& inner, store_faults faults, std::uint64_t seed) noexcept
        : forwarding_store{inner}, faults_{faults}, random_{seed}
    {
    }

    /** From now on. */
    void set_faults(store_faults faults) noexcept { faults_ = faults; }

    enum class crash_point {
        before_it_is_done,  ///< The operation is lost.
        after_it_is_done,   ///< Its reply is lost.
    };
    /** Crashes at an operation, counted from 1 since the beginning: it and all later ones fail until `restart`. */
    void crash_at(std::uint64_t operation, crash_point where) noexcept;
    /** Is up again. What was under way is lost. */
    void restart() noexcept;
    [[nodiscard]] bool is_down() const noexcept { return is_down_; }
    /** How many operations have begun. */
    [[nodiscard]] std::uint64_t operations() const noexcept { return operations_; }
    /** How many of them something went wrong with, delays not counted. */
    [[nodiscard]] std::uint64_t disturbed() const noexcept { return disturbed_; }

    [[nodiscard]] task<worker_id> enter(std::string name, std::chrono::milliseconds lifetime) override;
    [[nodiscard]] task<heartbeat_report> heartbeat(worker_id worker, std::chrono::milliseconds lifetime) override;
    [[nodiscard]] task<void> leave(worker_id worker) override;
    [[nodiscard]] task<std::size_t> reap(std::size_t runs_max) override;
    [[nodiscard]] task<run_admission> enqueue(new_run run) override;
    [[nodiscard]] task<std::vector<run_claim>> claim(worker_id worker, std::size_t max) override;
    [[nodiscard]] task<std::optional<run_claim>> resume(worker_id worker, run_id run) override;
    [[nodiscard]] task<write_state> finish(write_fence fence, run_outcome outcome) override;
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
    enum class access { reads, writes };
    enum class fault { none, request_lost, reply_lost, late, twice, full };
    struct verdict {
        std::uint64_t number = 0;
        fault what = fault::none;
        std::chrono::milliseconds before{0};
        std::chrono::milliseconds after{0};
    };

    template <class Make>
    auto through(access what, Make make) -> decltype(make());
    [[nodiscard]] verdict judge(access what) noexcept;
    [[nodiscard]] std::chrono::milliseconds some_delay() noexcept;
    /** Throws if the operation does not reach the store. */
    void before_it_is_done(const verdict& decided);
    /** Throws if the reply does not reach the caller. */
    void after_it_is_done(access what, const verdict& decided);
    /** Lets late writes take place, some of them or none. */
    [[nodiscard]] task<void> deliver_late_writes();
    [[noreturn]] void throw_fault(errc code, std::uint64_t number, const char* why);

    store_faults faults_;
    random_source random_;
    std::uint64_t operations_ = 0;
    std::uint64_t disturbed_ = 0;
    std::optional<std::uint64_t> crash_at_;
    crash_point crash_point_ = crash_point::before_it_is_done;
    bool is_down_ = false;
    std::vector<task<void>> late_;
};

}  // namespace weft::testing
