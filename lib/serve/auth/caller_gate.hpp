#pragma once

#include <weft/async/wait/token_level.hpp>
#include <weft/base/clock.hpp>
#include <weft/serve/auth_options.hpp>
#include <weft/serve/principal.hpp>

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace weft::serve_detail {

/** Holds callers to what they may take. Decides by the time that it is told, and waits for nothing.
 *
 *  @par Thread safety   From any OS thread: the loops of a server share it. Passes may end on any.
 *  @par Lifetimes       It may go before its passes. */
class caller_gate {
public:
    explicit caller_gate(caller_limits limits) noexcept : limits_{limits} {}

    /** Other limits from now on; what is open still counts. */
    void change(caller_limits limits, time_point now);

    /** Held while something is under way; its end gives the place back. */
    using pass = std::shared_ptr<void>;

    /** Lets a request in. @par Errors  `http_error` 429, with `Retry-After`. */
    [[nodiscard]] pass enter(const principal& who, time_point now);
    /** Lets a run of a tenant begin. @par Errors  `http_error` 429. */
    [[nodiscard]] pass begin_run(const std::string& tenant);

    [[nodiscard]] std::size_t callers() const;

private:
    using count = std::atomic<std::size_t>;
    struct caller {
        token_level requests;
        std::shared_ptr<count> open = std::make_shared<count>(0);
    };
    [[nodiscard]] static pass place_in(std::shared_ptr<count> taken);
    void forget_idle(time_point now);

    mutable std::mutex mutex_;               // of all below
    caller_limits limits_;
    std::map<std::string, caller> callers_;  // by tenant and name
    std::map<std::string, std::shared_ptr<count>> runs_;
};

}  // namespace weft::serve_detail
