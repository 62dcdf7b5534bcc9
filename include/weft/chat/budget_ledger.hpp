#pragma once

#include <weft/base/clock.hpp>
#include <weft/base/units.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace weft {

/** Amounts of what is budgeted. */
struct budget_amounts {
    // Declared: see docs/COMPILERS.md.
    budget_amounts() {}
    weft::tokens tokens;
    usd_micros cost;
    std::int64_t calls = 0;  ///< Of models.
    std::int64_t tool_calls = 0;

    budget_amounts& operator+=(const budget_amounts& other) noexcept;
    budget_amounts& operator-=(const budget_amounts& other) noexcept;
    friend bool operator==(const budget_amounts&, const budget_amounts&) = default;
};

/** The most of each; nothing: no limit. */
struct budget_limits {
    std::optional<weft::tokens> tokens{};
    std::optional<usd_micros> cost{};
    std::optional<std::int64_t> calls{};
    std::optional<std::int64_t> tool_calls{};
    std::optional<std::chrono::nanoseconds> elapsed{};  ///< Since the ledger began.

    friend bool operator==(const budget_limits&, const budget_limits&) = default;
};

/** Keeps count of a budget: what is about to be spent is reserved first and settled afterwards, so that branches that
 *  run side by side cannot spend the same money.
 *
 *      weft::budget_ledger tenant{"tenant a", {.cost = weft::usd_micros{5'000'000}}};
 *      weft::budget_ledger run = tenant.child("run 17", {.tokens = weft::tokens{100'000}});
 *      auto reservation = run.reserve(wanted, loop.now());
 *      …
 *      reservation.settle(used);
 *
 *  A child draws on its parent: what it reserves and spends counts there too, and the parent's limits bound it. What was
 *  really used may exceed what was reserved; then nothing more can be reserved.
 *
 *  @par Thread safety   From any OS thread. Copies share one account.
 *  @par Lifetimes       Children and reservations keep their parents.
 */
class budget_ledger {
public:
    class reservation;

    /** @param name    For messages, e.g. the tenant or the run.
     *  @param began   When the time of `limits.elapsed` began. */
    explicit budget_ledger(std::string name, budget_limits limits = {}, time_point began = {});

    [[nodiscard]] budget_ledger child(std::string name, budget_limits limits = {}, time_point began = {}) const;

    /** Reserves amounts here and in all parents, or nowhere.
     *
     *  @par Errors
     *    - `errc::budget_exhausted`  this ledger or a parent has less left, or its time is up; where: its name; the
     *                                message says of what and how much is left. */
    [[nodiscard]] reservation reserve(const budget_amounts& wanted, time_point now) const;

    [[nodiscard]] const std::string& name() const noexcept;
    [[nodiscard]] budget_amounts spent() const;
    [[nodiscard]] budget_amounts reserved() const;
    /** What may still be reserved here, given all parents. Never below zero. */
    [[nodiscard]] budget_limits left(time_point now) const;
    /** Whether this ledger or a parent limits the cost. */
    [[nodiscard]] bool limits_cost() const noexcept;

private:
    struct account;
    explicit budget_ledger(std::shared_ptr<account> own) noexcept;

    std::shared_ptr<account> account_;
};

/** Amounts that are set aside. Only moved. Destroyed without a word, it counts as spent: whoever was torn down may have
 *  spent it. */
class [[nodiscard]] budget_ledger::reservation {
public:
    reservation() noexcept = default;
    reservation(reservation&& other) noexcept;
    reservation& operator=(reservation&& other) noexcept;
    ~reservation();

    [[nodiscard]] const budget_amounts& amounts() const noexcept { return amounts_; }

    /** Sets more aside. @par Errors   As for `reserve`; then the reservation is as before. */
    void grow(const budget_amounts& more, time_point now);
    /** Spends `used` instead of what was set aside, and ends the reservation. */
    void settle(const budget_amounts& used) noexcept;
    /** Spends nothing and ends the reservation. */
    void release() noexcept { settle(budget_amounts{}); }

private:
    friend class budget_ledger;
    reservation(std::shared_ptr<account> own, const budget_amounts& amounts) noexcept;

    std::shared_ptr<account> account_;  // null: nothing is set aside
    budget_amounts amounts_;
};

}  // namespace weft
