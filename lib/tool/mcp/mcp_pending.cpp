#include "mcp_pending.hpp"

#include <weft/async/sleep.hpp>

#include "mcp_read.hpp"

#include <algorithm>
#include <utility>

namespace weft::mcp_detail {

pending_request::pending_request(json_rpc_requests& table, serial_loop& loop, const pending_limits& limits)
    : table_{table}, loop_{loop}, limits_{limits}, id_{table.open(*this)}, began_{loop.now()}, active_{began_}
{
}

void pending_request::on_answer(json_rpc_message answer)
{
    answer_.emplace(std::move(answer));
    ended_.notify();
}

void pending_request::on_progress(const boost::json::object& params)
{
    const mcp_progress step = read_progress(params);
    // Progress that does not rise is against the protocol, and must not keep a call alive.
    if (!(step.progress > progress_)) return;
    progress_ = step.progress;
    active_ = loop_.now();
    if (limits_.on_progress) limits_.on_progress(step);
}

void pending_request::on_lost(const error& why)
{
    fail(std::make_exception_ptr(why));
}

void pending_request::fail(std::exception_ptr why)
{
    // The first end counts: an answer that came before the connection was lost is an answer.
    if (has_ended()) return;
    failure_ = std::move(why);
    ended_.notify();
}

task<void> pending_request::wait()
{
    while (!has_ended()) co_await ended_.wait();
}

time_point pending_request::deadline() const
{
    // Without a total, progress must not extend the wait: a server could keep a call open for ever.
    if (!limits_.total_max) return began_ + limits_.quiet_max;
    return std::min(active_ + limits_.quiet_max, began_ + *limits_.total_max);
}

task<void> pending_request::wait_for_timeout()
{
    for (;;) {
        // Progress moves the deadline while this sleeps: it looks again instead of being woken for each step.
        const auto rest = deadline() - loop_.now();
        if (rest <= rest.zero()) co_return;
        co_await sleep_for(rest);
    }
}

json_rpc_message pending_request::take()
{
    if (failure_) std::rethrow_exception(failure_);
    return std::move(*answer_);
}

}  // namespace weft::mcp_detail
