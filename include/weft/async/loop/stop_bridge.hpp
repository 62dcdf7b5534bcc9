#pragma once

#include <weft/async/loop/serial_loop.hpp>

#include <atomic>
#include <optional>
#include <stop_token>

namespace weft {

/** Carries a stop from any OS thread to a loop: the callback only posts, the loop calls `stopped`.
 *
 *  What is posted owns the bridge's shared part, so that a stop that arrives after the end finds nothing to do.
 *
 *  @par Thread safety   Made and destroyed on the loop; the token may be stopped on any OS thread at any time.
 */
class stop_bridge {
public:
    /** Runs on the loop, where it may stop a scope. */
    using stopped_function = void (*)(void* target);

    /** @param stopped  Called with `target` on the loop, at most once, never inside the constructor. */
    stop_bridge(std::stop_token token, serial_loop& loop, stopped_function stopped, void* target);
    /** Waits for a callback that runs on another OS thread at this moment, as `std::stop_callback` does. */
    ~stop_bridge();
    stop_bridge(const stop_bridge&) = delete;
    stop_bridge& operator=(const stop_bridge&) = delete;

private:
    class shared_state;
    struct post_stop {
        shared_state* shared;
        void operator()() const noexcept;
    };
    shared_state* shared_;
    std::optional<std::stop_callback<post_stop>> callback_;
};

}  // namespace weft
