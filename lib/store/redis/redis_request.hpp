#pragma once

#include "redis_pipeline.hpp"

#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/signal.hpp>
#include <weft/async/task.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace weft::redis_detail {

/** A command under way, in the frame of the coroutine that waits for its answer. */
class redis_request final : public pipeline_caller {
public:
    redis_request(redis_pipeline& pipeline, serial_loop& loop, std::string command, std::chrono::nanoseconds limit);
    ~redis_request();
    redis_request(const redis_request&) = delete;
    redis_request& operator=(const redis_request&) = delete;

    void on_reply(redis_value reply) override;
    void on_lost(const error& why, bool was_sent) override;

    /** Until it has ended: it was answered, is lost, or its time is up.
     *  @par Errors   `errc::cancelled`. */
    [[nodiscard]] task<void> wait();

    /** The answer; none if it was lost or its time is up. */
    [[nodiscard]] std::optional<redis_value>& reply() noexcept { return reply_; }
    /** Why it was lost; nothing if its time is up. */
    [[nodiscard]] const std::optional<error>& loss() const noexcept { return loss_; }
    /** Whether the server may have done it. */
    [[nodiscard]] bool was_sent() const noexcept { return was_sent_; }

private:
    void expire();
    void end();

    redis_pipeline& pipeline_;
    redis_pipeline::ticket ticket_;
    std::optional<redis_value> reply_;
    std::optional<error> loss_;
    bool was_sent_ = false;
    bool has_ended_ = false;
    signal ended_;
    loop_timer timer_;
};

}  // namespace weft::redis_detail
