#include <weft/store/thread/memory_thread_state_store.hpp>

#include <weft/base/error.hpp>

#include "store/record/limit_checks.hpp"

#include <functional>

namespace weft {

task<write_state> memory_thread_state_store::save(thread_hold by, boost::json::value state)
{
    check_limits(by.thread);
    serial_loop& loop = co_await this_task::loop();
    const time_point now = loop.now();
    // Into memory of its own: the caller's value may live in a resource that goes away.
    boost::json::value copy(state, boost::json::storage_ptr{});
    co_return write_as(by, now, [&] { put(by.thread, std::move(copy), now); });
}

task<std::optional<boost::json::value>> memory_thread_state_store::load(thread_key thread)
{
    serial_loop& loop = co_await this_task::loop();
    const std::lock_guard lock{mutex_};
    drop_expired(loop.now());
    const auto found = entries_.find(thread);
    if (found == entries_.end()) co_return std::nullopt;
    co_return found->second.state;
}

task<write_state> memory_thread_state_store::erase(thread_hold by)
{
    serial_loop& loop = co_await this_task::loop();
    co_return write_as(by, loop.now(), [&] { remove(by.thread); });
}

write_state memory_thread_state_store::write_as(const thread_hold& by, time_point now,
                                                const std::function<void()>& write)
{
    const std::lock_guard lock{mutex_};
    drop_expired(now);
    if (!lock_)
        write();
    else if (!lock_->write_as(by, now, write))
        return write_state::fenced;
    return write_state::ok;
}

void memory_thread_state_store::put(const thread_key& thread, boost::json::value state, time_point now)
{
    remove(thread);
    if (entries_.size() >= threads_max_)
        throw error{errc::limit_reached, thread.thread,
                    std::to_string(threads_max_) + " threads are remembered already (threads_max)"};
    const time_point end = now + lifetime_;
    entries_.emplace(thread, entry{std::move(state), end});
    by_end_.emplace(end, thread);
}

void memory_thread_state_store::remove(const thread_key& thread)
{
    const auto found = entries_.find(thread);
    if (found == entries_.end()) return;
    by_end_.erase({found->second.expires, thread});
    entries_.erase(found);
}

void memory_thread_state_store::drop_expired(time_point now)
{
    while (!by_end_.empty() && by_end_.begin()->first <= now) {
        const thread_key thread = by_end_.begin()->second;
        remove(thread);
    }
}

}  // namespace weft
