#pragma once

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/signal.hpp>
#include <weft/tool/mcp/mcp_client_options.hpp>

#include "tool/rpc/json_rpc_requests.hpp"

#include <exception>
#include <limits>
#include <optional>

namespace weft::mcp_detail {

/** How long a request may wait, and who hears of its progress. */
struct pending_limits {
    std::chrono::nanoseconds quiet_max{};                     ///< From the start, or from the last progress.
    std::optional<std::chrono::nanoseconds> total_max{};      ///< If progress counts; else `quiet_max` is all.
    std::function<void(const mcp_progress&)> on_progress{};
    bool is_cancellable = true;                               ///< The server hears when the caller waits no more.
};

/** A request that waits for its answer, in the frame of the coroutine that made it. */
class pending_request final : public json_rpc_caller {
public:
    pending_request(json_rpc_requests& table, serial_loop& loop, const pending_limits& limits);
    ~pending_request() { table_.close(id_); }
    pending_request(const pending_request&) = delete;
    pending_request& operator=(const pending_request&) = delete;

    void on_answer(json_rpc_message answer) override;
    void on_progress(const boost::json::object& params) override;
    void on_lost(const error& why) override;

    /** It could not be sent, or its stream broke. */
    void fail(std::exception_ptr why);

    [[nodiscard]] std::int64_t id() const noexcept { return id_; }
    [[nodiscard]] bool has_ended() const noexcept { return answer_ || failure_; }
    [[nodiscard]] bool wants_progress() const noexcept { return limits_.total_max || limits_.on_progress; }
    /** Until it has ended. One coroutine waits. */
    [[nodiscard]] task<void> wait();
    /** Until its time is up. */
    [[nodiscard]] task<void> wait_for_timeout();

    /** The answer; throws if there is none. After it has ended. */
    [[nodiscard]] json_rpc_message take();

private:
    [[nodiscard]] time_point deadline() const;

    json_rpc_requests& table_;
    serial_loop& loop_;
    const pending_limits& limits_;
    std::int64_t id_;
    time_point began_;
    time_point active_;
    double progress_ = -std::numeric_limits<double>::infinity();
    std::optional<json_rpc_message> answer_;
    std::exception_ptr failure_;
    signal ended_;
};

}  // namespace weft::mcp_detail
