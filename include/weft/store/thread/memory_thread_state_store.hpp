#pragma once

#include <weft/store/thread/memory_thread_lock.hpp>
#include <weft/store/thread_state_store.hpp>

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace weft {

/** States of threads within this process; time is that of the loop that asks. */
class memory_thread_state_store final : public thread_state_store {
public:
    /** @param lock         Whose holders may write; null: everybody, and a hold is no obstacle.
     *  @param threads_max  How many threads it remembers at a time. */
    explicit memory_thread_state_store(std::chrono::milliseconds lifetime = thread_state_lifetime,
                                       std::shared_ptr<memory_thread_lock> lock = nullptr,
                                       std::size_t threads_max = 100'000) noexcept
        : lifetime_{lifetime}, lock_{std::move(lock)}, threads_max_{threads_max}
    {
    }

    [[nodiscard]] task<write_state> save(thread_hold by, boost::json::value state) override;
    [[nodiscard]] task<std::optional<boost::json::value>> load(thread_key thread) override;
    [[nodiscard]] task<write_state> erase(thread_hold by) override;
    [[nodiscard]] std::chrono::milliseconds lifetime() const noexcept override { return lifetime_; }

private:
    struct entry {
        boost::json::value state;
        time_point expires;
    };
    [[nodiscard]] write_state write_as(const thread_hold& by, time_point now, const std::function<void()>& write);
    void put(const thread_key& thread, boost::json::value state, time_point now);
    void remove(const thread_key& thread);
    void drop_expired(time_point now);

    std::chrono::milliseconds lifetime_;
    std::shared_ptr<memory_thread_lock> lock_;
    std::size_t threads_max_;
    std::mutex mutex_;
    std::map<thread_key, entry> entries_;
    std::set<std::pair<time_point, thread_key>> by_end_;
};

}  // namespace weft
