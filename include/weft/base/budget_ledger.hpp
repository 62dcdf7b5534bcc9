#pragma once

#include <weft/base/units.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** What work costs: counts that add up. */
struct spending {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    spending() noexcept {}

    weft::tokens tokens;           ///< Read and written by models.
    usd_micros cost;
    std::int64_t model_calls = 0;
    std::int64_t tool_calls = 0;
    std::int64_t turns = 0;        ///< Rounds of an agent; the agent defines them.

    spending& operator+=(const spending& other) noexcept;
    spending& operator-=(const spending& other) noexcept;
    friend bool operator==(const spending&, const spending&) = default;
};

/** How much may be spent; what is not given has no limit. */
struct budget {
    budget() noexcept {}

    std::optional<weft::tokens> tokens;
    std::optional<usd_micros> cost;
    std::optional<std::int64_t> model_calls;
    std::optional<std::int64_t> tool_calls;
    std::optional<std::int64_t> turns;

    [[nodiscard]] bool is_unlimited() const noexcept { return *this == budget{}; }
    friend bool operator==(const budget&, const budget&) = default;
};

/** E.g. `20000 tokens, $0.50, 40 model calls`; `unlimited` for none. */
[[nodiscard]] std::string to_string(const budget& amounts);

/** How far the budget is used up that is closest to its end. */
struct budget_pressure {
    double used = 0;            ///< Spent and reserved, as a part of the limit; 0 without limits.
    std::string_view of = {};   ///< `tokens`, `cost`, `model calls`, `tool calls` or `turns`; empty without limits.
};

/** Keeps branches that work at the same time from spending more than there is: who wants to spend reserves an estimate
 *  first and settles what it really was afterwards.
 *
 *      weft::budget_ledger::reservation held = ledger->reserve(estimate);   // throws if there is not enough
 *      …
 *      held.settle(real);
 *
 *  A ledger may draw on another one: what is reserved and spent here is reserved and spent there as well, so that a
 *  run inside a run, or all runs of a tenant, share one budget. What was really spent always counts, even beyond the
 *  limit: then nothing more can be reserved.
 *
 *  @par Thread safety   All functions from any OS thread.
 *  @par Lifetimes       Shared: reservations and ledgers that draw on it keep it.
 */
class budget_ledger : public std::enable_shared_from_this<budget_ledger> {
public:
    class reservation;

    /** @param name     Whose budget it is, for errors: a run, a tenant.
     *  @param parent   What it draws on; null for none.
     *  @param before   What was spent already; the parent knows of it. */
    budget_ledger(std::string name, budget limits, std::shared_ptr<budget_ledger> parent = nullptr,
                  const spending& before = spending{});
    budget_ledger(const budget_ledger&) = delete;
    budget_ledger& operator=(const budget_ledger&) = delete;

    /** Puts an estimate aside, here and in what this draws on. An amount of 0 asks nothing of its kind: it is granted
     *  whatever is left.
     *
     *  @par Errors
     *    - `errc::budget_exhausted`   there is not enough; where: the ledger's name; the detail says of what, the
     *                                 limit, and what is spent and reserved. Nothing is reserved then. */
    [[nodiscard]] reservation reserve(const spending& estimate);

    /** Counts what was spent without a reservation; never refused. */
    void spend(const spending& real) noexcept;

    [[nodiscard]] spending spent() const;
    /** What is put aside by reservations that are not settled yet. */
    [[nodiscard]] spending reserved() const;
    /** What can still be reserved of tokens, in the ledger of the line that has the least; nothing without a limit. */
    [[nodiscard]] std::optional<tokens> tokens_left() const;
    [[nodiscard]] std::optional<usd_micros> cost_left() const;
    /** Whether there is a limit of cost, here or in what this draws on. */
    [[nodiscard]] bool limits_cost() const noexcept;
    /** Of this ledger alone. */
    [[nodiscard]] budget_pressure pressure() const;

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const budget& limits() const noexcept { return limits_; }
    [[nodiscard]] const std::shared_ptr<budget_ledger>& parent() const noexcept { return parent_; }

private:
    void put_aside(const spending& estimate);
    void put_back(const spending& estimate, const spending& real) noexcept;
    [[nodiscard]] std::optional<std::int64_t> least_left(std::size_t kind_index) const;

    const std::string name_;
    const budget limits_;
    const std::shared_ptr<budget_ledger> parent_;
    mutable std::mutex lock_;
    spending spent_;
    spending reserved_;
};

/** An estimate that is put aside. One that ends without a word counts as spent: a coroutine torn down may have spent
 *  it.
 *  @par Thread safety   As a value; it can be moved only. */
class budget_ledger::reservation {
public:
    reservation() noexcept = default;
    reservation(reservation&& other) noexcept;
    reservation& operator=(reservation other) noexcept;
    ~reservation() { settle(estimate_); }

    /** Puts more aside. @par Errors   As `reserve`; then the reservation is as before. */
    void grow(const spending& more);
    /** Spends `real` in place of the estimate, and ends the reservation. Of several calls the first counts. */
    void settle(const spending& real) noexcept;
    /** Spends nothing, and ends the reservation. */
    void release() noexcept { settle(spending{}); }

    /** What is put aside; nothing once it has ended. */
    [[nodiscard]] const spending& estimate() const noexcept { return estimate_; }
    [[nodiscard]] explicit operator bool() const noexcept { return ledger_ != nullptr; }

private:
    friend class budget_ledger;
    reservation(std::shared_ptr<budget_ledger> ledger, const spending& estimate) noexcept;

    std::shared_ptr<budget_ledger> ledger_;
    spending estimate_;
};

}  // namespace weft
