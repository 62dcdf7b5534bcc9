#include <weft/store/thread/memory_thread_lock.hpp>

#include <weft/base/system/ids.hpp>

#include "store/record/limit_checks.hpp"

#include <algorithm>

namespace weft {

bool memory_thread_lock::is_free(const thread_key& thread, time_point now) const
{
    const auto found = holds_.find(thread);
    return found == holds_.end() || found->second.valid_until <= now;
}

bool memory_thread_lock::is_holder(const thread_hold& hold, time_point now) const
{
    const auto found = holds_.find(hold.thread);
    return found != holds_.end() && found->second.valid_until > now && found->second.owner == hold.owner;
}

/** Locks that ran out are dropped whenever their number has doubled. */
void memory_thread_lock::drop_old_ones(time_point now)
{
    if (holds_.size() < sweep_at_) return;
    std::erase_if(holds_, [now](const auto& entry) { return entry.second.valid_until <= now; });
    sweep_at_ = std::max<std::size_t>(64, 2 * holds_.size());
}

task<std::optional<thread_hold>> memory_thread_lock::acquire(thread_key thread)
{
    check_limits(thread);
    serial_loop& loop = co_await this_task::loop();
    const time_point now = loop.now();
    thread_hold hold{std::move(thread)};
    hold.owner = id_source{loop.clock(), loop.random()}.next().text();
    hold.valid_until = now + lifetime_;
    const std::lock_guard lock{mutex_};
    if (!is_free(hold.thread, now)) co_return std::nullopt;
    drop_old_ones(now);
    hold.fence = ++last_fence_;
    holds_.insert_or_assign(hold.thread, hold);
    co_return hold;
}

task<std::optional<thread_hold>> memory_thread_lock::renew(thread_hold hold)
{
    serial_loop& loop = co_await this_task::loop();
    const time_point now = loop.now();
    const std::lock_guard lock{mutex_};
    if (!is_holder(hold, now)) co_return std::nullopt;
    hold.valid_until = now + lifetime_;
    holds_[hold.thread].valid_until = hold.valid_until;
    co_return hold;
}

task<bool> memory_thread_lock::release(thread_hold hold)
{
    serial_loop& loop = co_await this_task::loop();
    const std::lock_guard lock{mutex_};
    if (!is_holder(hold, loop.now())) co_return false;
    holds_.erase(hold.thread);
    co_return true;
}

task<bool> memory_thread_lock::is_held(thread_key thread)
{
    serial_loop& loop = co_await this_task::loop();
    const std::lock_guard lock{mutex_};
    co_return !is_free(thread, loop.now());
}

bool memory_thread_lock::write_as(const thread_hold& by, time_point now, const std::function<void()>& write)
{
    const std::lock_guard lock{mutex_};
    if (by.is_locked() ? !is_holder(by, now) : !is_free(by.thread, now)) return false;
    write();
    return true;
}

}  // namespace weft
