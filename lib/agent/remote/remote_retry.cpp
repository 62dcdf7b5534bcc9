#include "remote_retry.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/async/sleep.hpp>
#include <weft/graph/node_context.hpp>

#include <algorithm>

namespace weft::agent_detail {

task<void> between_attempts(node_context& node, const retry_policy& retry, failed_attempt failed)
{
    if (!retry.retries_after(static_cast<int>(node.attempt()), failed.code)) co_return;
    if (failed.has_told) node.emit(agent_event::retract, {});
    if (!failed.retry_after) co_return;
    co_await sleep_for(std::min<std::chrono::nanoseconds>(*failed.retry_after, retry.delay_max));
}

}  // namespace weft::agent_detail
