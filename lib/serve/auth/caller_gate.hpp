#pragma once

#include <weft/async/wait/token_level.hpp>
#include <weft/base/clock.hpp>
#include <weft/serve/auth_options.hpp>
#include <weft/serve/principal.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <string>

namespace weft::serve_detail {

/** Holds callers to what they may take. Decides by the time that it is told, and waits for nothing.
 *
 *  @par Thread safety   None: it belongs to one loop.
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

    [[nodiscard]] std::size_t callers() const noexcept { return callers_.size(); }

private:
    struct caller {
        token_level requests;
        std::shared_ptr<std::size_t> open = std::make_shared<std::size_t>(0);
    };
    void forget_idle(time_point now);

    caller_limits limits_;
    std::map<std::string, caller> callers_;  // by tenant and name
    std::map<std::string, std::shared_ptr<std::size_t>> runs_;
};

}  // namespace weft::serve_detail
