#pragma once

#include <weft/async/retry_policy.hpp>
#include <weft/async/task.hpp>
#include <weft/base/errc.hpp>

#include <chrono>
#include <optional>

namespace weft {
class node_context;
}

namespace weft::agent_detail {

/** How an attempt at a call of another system has failed. */
struct failed_attempt {
    failed_attempt() {}

    errc code = errc::http_refused;
    bool has_told = false;  ///< Watchers have heard some of the answer.
    std::optional<std::chrono::milliseconds> retry_after = {};  ///< What the other side asks to wait.
};

/** What comes between a failed attempt and the next one: watchers learn that what they heard does not count, and what
 *  the other side asks to wait is waited, at most `retry_policy::delay_max`. Does nothing if no attempt follows. */
[[nodiscard]] task<void> between_attempts(node_context& node, const retry_policy& retry, failed_attempt failed);

}  // namespace weft::agent_detail
