#pragma once

#include "cassette_tape.hpp"
#include "net/connection/response_source.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/net/http_request.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::net_detail {

/** One exchange while it is written down. It goes to the tape when it ends; one that never got a response and was
 *  stopped leaves nothing.
 */
class exchange_recording {
public:
    /** @param asked     What the tape calls the request.
     *  @param request   For its secrets.
     *  @par Errors      `errc::limit_reached` if the tape is full. */
    exchange_recording(serial_loop& loop, std::shared_ptr<cassette_tape> tape, recorded_request asked,
                       const http_request& request);

    void add_head(const http_response_head& head);
    /** @par Errors   `errc::limit_reached` if the tape is full. */
    void add_piece(std::string_view bytes);

    /** How it ended; only the first counts. */
    void complete() { end({elapsed_ms(), exchange_end::complete, {}, {}}); }
    void fail(const error& cause);
    void closed() noexcept;

private:
    [[nodiscard]] std::int64_t elapsed_ms() const;
    [[nodiscard]] std::vector<recorded_chunk> hidden_chunks() const;
    void end(recorded_end how);

    serial_loop& loop_;
    std::shared_ptr<cassette_tape> tape_;  // null when it has ended
    std::vector<secret_string> secrets_;
    time_point began_;
    std::size_t place_;
    recorded_exchange exchange_;
    std::vector<std::pair<std::int64_t, std::size_t>> pieces_;  // when they came and where they end in `body_`
    std::string body_;
};

/** A response from the network that is written down while the caller reads it. */
class recording_response final : public response_source {
public:
    recording_response(std::unique_ptr<response_source> live, std::unique_ptr<exchange_recording> recording);
    ~recording_response() override { recording_->closed(); }

    [[nodiscard]] const http_response_head& head() const noexcept override { return live_->head(); }
    [[nodiscard]] bool is_complete() const noexcept override { return live_->is_complete(); }
    task<std::string_view> read_some() override;
    void close() noexcept override;
    void limit_gap(std::chrono::nanoseconds limit) noexcept override { live_->limit_gap(limit); }
    [[nodiscard]] bool is_over() const noexcept override { return live_->is_over() && body_.empty(); }
    [[nodiscard]] bool is_open() const noexcept override { return live_->is_open() || !body_.empty(); }
    [[nodiscard]] const std::string& endpoint() const noexcept override { return live_->endpoint(); }

private:
    std::unique_ptr<response_source> live_;
    std::unique_ptr<exchange_recording> recording_;
};

}  // namespace weft::net_detail
