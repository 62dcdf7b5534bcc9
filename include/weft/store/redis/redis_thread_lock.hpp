#pragma once

#include <weft/store/redis_client.hpp>
#include <weft/store/thread/memory_thread_lock.hpp>
#include <weft/store/thread/thread_lock.hpp>

#include <string>
#include <utility>

namespace weft {

/** What a lock does while its server cannot be reached. */
enum class lock_fallback {
    refuse,        ///< It gives no lock: `errc::store_unavailable`.
    /** It gives locks that shut out this process only: two processes may then hold one thread at the same time, and
     *  both do its work. Their fencing numbers are smaller than all of the server's, so that whatever compares numbers
     *  refuses them; the state store on the server takes their writes only while the thread is not locked there. */
    this_process,
};

struct redis_lock_options {
    std::chrono::milliseconds lifetime = thread_lock_lifetime;
    /** What all keys begin with; the same as that of the state store. */
    std::string prefix = "weft:";
    lock_fallback when_away = lock_fallback::refuse;
};

/** A lock of threads on a Redis server, for processes that share it.
 *
 *  The key `<prefix>{<tenant>/<thread>}:lock` holds the owner's name and ends by itself; it is renewed and deleted only
 *  where it still holds that name. The fencing number counts up from the server's time of day in microseconds, so that
 *  a server that lost its memory does not begin again with small ones.
 *
 *  One server, or one primary: a lock may be given twice when a replica takes over that did not hear of it. The writes
 *  of the state store are safe then all the same, since they are compared with the lock where it is.
 *
 *  @par Source   https://redis.io/docs/latest/commands/set/, "Patterns"
 */
class redis_thread_lock final : public thread_lock {
public:
    explicit redis_thread_lock(redis_client client, redis_lock_options options = redis_lock_options{});

    [[nodiscard]] task<std::optional<thread_hold>> acquire(thread_key thread) override;
    [[nodiscard]] task<std::optional<thread_hold>> renew(thread_hold hold) override;
    [[nodiscard]] task<bool> release(thread_hold hold) override;
    [[nodiscard]] task<bool> is_held(thread_key thread) override;
    [[nodiscard]] std::chrono::milliseconds lifetime() const noexcept override { return options_.lifetime; }

private:
    [[nodiscard]] bool falls_back_from(errc code) const noexcept;
    task<redis_value> take(thread_key thread, std::string owner);

    redis_client client_;
    redis_lock_options options_;
    redis_script acquire_;
    redis_script renew_;
    redis_script release_;
    memory_thread_lock local_;
};

}  // namespace weft
