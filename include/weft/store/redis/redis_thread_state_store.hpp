#pragma once

#include <weft/store/redis_client.hpp>
#include <weft/store/thread_state_store.hpp>

#include <string>
#include <utility>

namespace weft {

/** States of threads on a Redis server, for processes that share it.
 *
 *  The key `<prefix>{<tenant>/<thread>}:state` holds the state as JSON and ends by itself. Each write compares the
 *  thread's lock with the holder in the same step of the server: who lost the thread without noticing changes nothing.
 *
 *  @par Errors   Also `errc::store_corrupt`, if what the key holds is no JSON.
 */
class redis_thread_state_store final : public thread_state_store {
public:
    /** @param prefix   What all keys begin with; the same as that of the lock. */
    explicit redis_thread_state_store(redis_client client,
                                      std::chrono::milliseconds lifetime = thread_state_lifetime,
                                      std::string prefix = "weft:");

    [[nodiscard]] task<write_state> save(thread_hold by, boost::json::value state) override;
    [[nodiscard]] task<std::optional<boost::json::value>> load(thread_key thread) override;
    [[nodiscard]] task<write_state> erase(thread_hold by) override;
    [[nodiscard]] std::chrono::milliseconds lifetime() const noexcept override { return lifetime_; }

private:
    redis_client client_;
    std::chrono::milliseconds lifetime_;
    std::string prefix_;
    redis_script save_;
    redis_script erase_;
};

}  // namespace weft
