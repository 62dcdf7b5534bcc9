#pragma once

#include <cstdint>

namespace weft {

/** What the scheduler does when everything that is left of a run waits for answers. */
enum class parked_rule : std::uint8_t {
    wait,    ///< Nothing: `pause` alone ends the run.
    pause,   ///< The run pauses.
    notify,  ///< `all_parked` says so, once until a node goes on.
};

/** How many nodes of a run are under way. A node that only waits for answers is parked and counted apart, so that
 *  others may start in its place.
 *
 *  @par Thread safety   None.
 */
class running_nodes {
public:
    void begin() noexcept { ++running_; }
    /** One that is not parked has ended. */
    void end() noexcept { --running_; }
    void park() noexcept
    {
        --running_;
        ++parked_;
    }
    void unpark() noexcept
    {
        --parked_;
        ++running_;
        is_reported_ = false;
    }

    [[nodiscard]] std::uint32_t running() const noexcept { return running_; }
    [[nodiscard]] std::uint32_t parked() const noexcept { return parked_; }
    /** Whether something is left, and all of it waits for answers. */
    [[nodiscard]] bool are_parked() const noexcept { return parked_ > 0 && running_ == 0; }

    void when_parked(parked_rule rule) noexcept { rule_ = rule; }
    /** Whether `all_parked` is to be said or the run to pause now, if nothing but answers is missing. */
    [[nodiscard]] bool is_rule_due() const noexcept
    {
        return rule_ != parked_rule::wait && !is_reported_ && !is_kept_awake();
    }
    /** A parked node waits for something that comes by itself: the rule does not apply meanwhile. */
    void keep_awake() noexcept { ++awake_; }
    void let_rest() noexcept { --awake_; }
    [[nodiscard]] bool is_kept_awake() const noexcept { return awake_ > 0; }
    /** Applies the rule. @return  Whether the run pauses; otherwise `all_parked` is to be said. */
    [[nodiscard]] bool apply_rule() noexcept
    {
        is_reported_ = rule_ == parked_rule::notify;
        return !is_reported_;
    }

private:
    std::uint32_t running_ = 0;
    std::uint32_t parked_ = 0;
    std::uint32_t awake_ = 0;
    parked_rule rule_ = parked_rule::wait;
    bool is_reported_ = false;
};

}  // namespace weft
