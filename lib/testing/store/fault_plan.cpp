#include <weft/testing/store/fault_plan.hpp>

#include <weft/base/error.hpp>

#include <string>

namespace weft::testing {

namespace {

[[noreturn]] void throw_fault(errc code, std::uint64_t number, const char* why)
{
    throw error{code, "faulty store", std::string{why} + " (operation " + std::to_string(number) + ")"};
}

}  // namespace

// By the number of the operation: a test goes through all of them, one crash each.
void fault_plan::crash_at(std::uint64_t operation, crash_point where) noexcept
{
    crash_at_ = operation;
    crash_point_ = where;
}

// The plan goes on behind the crash: what comes after a restart is part of the same seed.
void fault_plan::restart() noexcept
{
    is_down_ = false;
    crash_at_.reset();
}

std::chrono::milliseconds fault_plan::some_delay() noexcept
{
    return std::chrono::milliseconds{random_.below(static_cast<std::uint64_t>(faults_.delay_max.count()) + 1)};
}

// Draws as many numbers whatever comes of it, so that one fault does not shift all later ones.
fault_plan::decision fault_plan::decide(store_access what) noexcept
{
    decision decided;
    decided.number = ++operations_;
    decided.before = some_delay();
    decided.after = some_delay();
    double left = random_.uniform();
    const auto falls_into = [&](double share) { return (left -= share) < 0; };
    const bool writes = what == store_access::writes;
    if (falls_into(faults_.requests_lost)) decided.what = fault::request_lost;
    else if (falls_into(faults_.replies_lost)) decided.what = fault::reply_lost;
    else if (writes && falls_into(faults_.delivered_late)) decided.what = fault::late;
    else if (writes && falls_into(faults_.delivered_twice)) decided.what = fault::twice;
    else if (writes && falls_into(faults_.full)) decided.what = fault::full;
    if (decided.what != fault::none) ++disturbed_;
    return decided;
}

// Nothing has been done, and the caller can know it.
void fault_plan::refuse_before(const decision& decided)
{
    const bool crashes = crash_at_ && decided.number >= *crash_at_;
    if (crashes && (crash_point_ == crash_point::before_it_is_done || decided.number > *crash_at_)) is_down_ = true;
    if (is_down_) throw_fault(errc::store_unavailable, decided.number, "the store has crashed");
    if (decided.what == fault::request_lost) throw_fault(errc::store_unavailable, decided.number, "a lost request");
    if (decided.what == fault::full) throw_fault(errc::store_full, decided.number, "no space is left");
}

// It has been done, and of a write the caller hears only that it may have been.
void fault_plan::refuse_after(store_access what, const decision& decided)
{
    const errc unheard = what == store_access::writes ? errc::store_outcome_unknown : errc::store_unavailable;
    if (crash_at_ && decided.number >= *crash_at_) is_down_ = true;
    if (is_down_) throw_fault(unheard, decided.number, "the store has crashed");
    if (decided.what == fault::reply_lost) throw_fault(unheard, decided.number, "a lost reply");
}

// The write happens later, behind what its writer does next.
void fault_plan::refuse_late(const decision& decided)
{
    throw_fault(errc::store_outcome_unknown, decided.number, "a write that is late");
}

}  // namespace weft::testing
