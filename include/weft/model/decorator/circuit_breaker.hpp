#pragma once

#include <weft/base/chrono.hpp>
#include <weft/base/clock.hpp>

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace weft {

/** When a circuit breaker opens and for how long. */
struct circuit_breaker_options {
    int failures_max = 5;  ///< Failures in a row, at least 1, that open it…
    std::chrono::nanoseconds window = std::chrono::seconds{30};    ///< …when all of them lie within this.
    std::chrono::nanoseconds open_for = std::chrono::seconds{30};  ///< Before a call tries again.
};

/** Keeps calls away from an endpoint that fails, until a single call has shown that it works again.
 *
 *  Closed, it lets all calls through. After `failures_max` failures in a row within `window` it is open and lets none
 *  through. After `open_for` it is half open: one call probes; if that succeeds it closes, else it is open again.
 *
 *      auto ticket = breaker.try_enter(loop.now());
 *      if (!ticket) …                                      // the endpoint is left alone
 *      breaker.on_success(*ticket);                        // or on_failure, or abandon
 *
 *  Results of calls that began before it opened or closed do not count any more.
 *
 *  @par Thread safety   From any OS thread.
 *  @par Source          Nygard: Release It!, 2nd edition, "Circuit Breaker".
 */
class circuit_breaker {
public:
    enum class state { closed, open, half_open };

    /** Says what a call's result counts for. */
    class ticket {
    public:
        [[nodiscard]] bool is_probe() const noexcept { return is_probe_; }

    private:
        friend class circuit_breaker;
        ticket(std::uint64_t age, bool is_probe) noexcept : age_{age}, is_probe_{is_probe} {}
        std::uint64_t age_;
        bool is_probe_;
    };

    explicit circuit_breaker(circuit_breaker_options options = {}) noexcept : options_{options} {}

    /** Asks to call. @return Nothing if the endpoint is to be left alone. */
    [[nodiscard]] std::optional<ticket> try_enter(time_point now);

    void on_success(const ticket& call);
    void on_failure(const ticket& call, time_point now);
    /** The call said nothing about the endpoint, e.g. because it was stopped. */
    void abandon(const ticket& call);

    [[nodiscard]] state state_at(time_point now) const;
    /** When the next call may probe; nothing when it is closed. */
    [[nodiscard]] std::optional<time_point> probes_at() const;

private:
    void open(time_point now);

    const circuit_breaker_options options_;
    mutable std::mutex lock_;
    std::vector<time_point> failures_;  // of the newest row, at most failures_max
    std::optional<time_point> open_until_;
    bool is_probing_ = false;
    std::uint64_t age_ = 0;  // grows whenever it opens or closes
};

}  // namespace weft
