#pragma once

#include "net/connection/response_source.hpp"
#include "recorded_exchange.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/base/error.hpp>
#include <weft/net/http_timeouts.hpp>
#include <weft/net/options/cassette_options.hpp>

#include <memory>

namespace weft::net_detail {

/** A response out of a recording: the same head, pieces, times and end, on the clock of a loop. */
class replayed_response final : public response_source {
public:
    replayed_response(serial_loop& loop, std::shared_ptr<const recorded_exchange> exchange, std::string endpoint,
                      http_timeouts timeouts, cassette_timing timing);

    /** Waits until the head had come, or until the exchange had failed.
     *  @par Errors   That of the recording; `errc::first_byte_timeout`; `errc::cancelled`;
     *                `errc::unexpected_json` if the recording is none. */
    task<void> wait_for_head();

    [[nodiscard]] const http_response_head& head() const noexcept override { return head_; }
    [[nodiscard]] bool is_complete() const noexcept override;
    task<std::string_view> read_some() override;
    void close() noexcept override { is_open_ = false; }
    void limit_gap(std::chrono::nanoseconds limit) noexcept override { timeouts_.gap = limit; }
    [[nodiscard]] bool is_over() const noexcept override { return is_over_; }
    [[nodiscard]] bool is_open() const noexcept override { return is_open_; }
    [[nodiscard]] const std::string& endpoint() const noexcept override { return endpoint_; }

private:
    [[nodiscard]] std::chrono::nanoseconds time_until(std::int64_t ms) const noexcept;
    task<void> wait_until(std::int64_t ms, std::chrono::nanoseconds limit, errc late);
    [[nodiscard]] error recorded_failure() const;
    void read_head();

    serial_loop& loop_;
    std::shared_ptr<const recorded_exchange> exchange_;
    std::string endpoint_;
    http_timeouts timeouts_;
    cassette_timing timing_;
    time_point began_;
    http_response_head head_;
    std::string piece_;     // that was given out last
    std::size_t next_ = 0;  // the piece to give out next
    bool is_over_ = false;
    bool is_open_ = true;
};

}  // namespace weft::net_detail
