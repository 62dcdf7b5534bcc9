#pragma once

#include <weft/store/thread/thread_lock.hpp>

#include <functional>
#include <map>
#include <mutex>

namespace weft {

/** A lock within this process; time is that of the loop that asks. */
class memory_thread_lock final : public thread_lock {
public:
    explicit memory_thread_lock(std::chrono::milliseconds lifetime = thread_lock_lifetime) noexcept
        : lifetime_{lifetime}
    {
    }

    [[nodiscard]] task<std::optional<thread_hold>> acquire(thread_key thread) override;
    [[nodiscard]] task<std::optional<thread_hold>> renew(thread_hold hold) override;
    [[nodiscard]] task<bool> release(thread_hold hold) override;
    [[nodiscard]] task<bool> is_held(thread_key thread) override;
    [[nodiscard]] std::chrono::milliseconds lifetime() const noexcept override { return lifetime_; }

    /** Calls `write` if `by` may write its thread, while no other holder can take it. @return Whether it did. */
    bool write_as(const thread_hold& by, time_point now, const std::function<void()>& write);

private:
    [[nodiscard]] bool is_free(const thread_key& thread, time_point now) const;
    [[nodiscard]] bool is_holder(const thread_hold& hold, time_point now) const;
    void drop_old_ones(time_point now);

    std::chrono::milliseconds lifetime_;
    std::mutex mutex_;
    std::map<thread_key, thread_hold> holds_;
    std::int64_t last_fence_ = 0;
    std::size_t sweep_at_ = 64;
};

}  // namespace weft
