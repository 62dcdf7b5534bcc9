#pragma once

#include <weft/base/chrono.hpp>
#include <weft/base/random.hpp>

#include <cstdint>
#include <optional>

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

/** What an operation does to a store: of a read that goes wrong nothing has changed. */
enum class store_access { reads, writes };

/** Decides what goes wrong with each operation of a store, from a seed. Does no I/O: `faulty_store` acts on it.
 *
 *      const fault_plan::decision decided = plan.decide(store_access::writes);
 *      plan.refuse_before(decided);                        // throws if the request is lost
 *      write();
 *      plan.refuse_after(store_access::writes, decided);   // throws if the reply is lost
 *
 *  @par Thread safety   None. */
class fault_plan {
public:
    enum class fault { none, request_lost, reply_lost, late, twice, full };
    enum class crash_point {
        before_it_is_done,  ///< The operation is lost.
        after_it_is_done,   ///< Its reply is lost.
    };
    struct decision {
        std::uint64_t number = 0;              ///< Of the operation, from 1.
        fault what = fault::none;
        std::chrono::milliseconds before{0};   ///< How long its request is on the way.
        std::chrono::milliseconds after{0};    ///< How long its reply is.
    };

    fault_plan(store_faults faults, std::uint64_t seed) noexcept : faults_{faults}, random_{seed} {}

    void set_faults(store_faults faults) noexcept { faults_ = faults; }
    void crash_at(std::uint64_t operation, crash_point where) noexcept;
    void restart() noexcept;

    /** Counts an operation that begins, and draws what becomes of it. */
    [[nodiscard]] decision decide(store_access what) noexcept;
    /** @par Errors   `errc::store_unavailable`, `store_full`: the operation does not reach the store. */
    void refuse_before(const decision& decided);
    /** @par Errors   `errc::store_outcome_unknown`, of a read `store_unavailable`: the caller gets no reply. */
    void refuse_after(store_access what, const decision& decided);
    /** @par Errors   `errc::store_outcome_unknown`, always: the write takes place later. */
    [[noreturn]] static void refuse_late(const decision& decided);
    /** Whether a late write takes place now: one in four. */
    [[nodiscard]] bool is_due() noexcept { return random_.below(4) == 0; }

    [[nodiscard]] bool is_down() const noexcept { return is_down_; }
    [[nodiscard]] std::uint64_t operations() const noexcept { return operations_; }
    [[nodiscard]] std::uint64_t disturbed() const noexcept { return disturbed_; }

private:
    [[nodiscard]] std::chrono::milliseconds some_delay() noexcept;

    store_faults faults_;
    random_source random_;
    std::uint64_t operations_ = 0;
    std::uint64_t disturbed_ = 0;
    std::optional<std::uint64_t> crash_at_;
    crash_point crash_point_ = crash_point::before_it_is_done;
    bool is_down_ = false;
};

}  // namespace weft::testing
