#pragma once

#include "net/connection/connection_pool.hpp"
#include "net/connection/response_parser.hpp"
#include "net/connection/response_source.hpp"

#include <weft/async/async_generator.hpp>
#include <weft/base/error.hpp>
#include <weft/net/http_request.hpp>

#include <exception>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace weft::net_detail {

/** One request and its response over one leased connection. */
class http_exchange final : public response_source {
public:
    http_exchange(connection_lease lease, std::shared_ptr<const http_client_options> options,
                  const http_request& request);
    http_exchange(const http_exchange&) = delete;
    http_exchange& operator=(const http_exchange&) = delete;
    ~http_exchange() override { close(); }

    /** Sends the request and reads the head of the response.
     *  @param request   Outlives the coroutine; its body is moved out.
     *  @return          What went wrong, if anything. */
    task<std::optional<error>> perform(http_request& request);
    /** The same for a request whose body is a stream.
     *  @param first    What was read of it already; empty: nothing is in it.
     *  @param pieces   The rest; outlives the coroutine, as the request does.
     *  @par Errors     Those of the stream. */
    task<std::optional<error>> perform(const http_request& request, std::string first,
                                       async_generator<std::string>& pieces);

    /** True if a failure may mean nothing but that the peer had closed a connection that we kept open, and if asking
     *  again does no harm in any case: the request is repeatable, or the peer cannot have read anything of it.
     *  @par Source   RFC 9110 §9.2.2; RFC 9112 §9.3.1. */
    [[nodiscard]] bool may_be_sent_again() const noexcept
    {
        return was_reused_ && !has_received_ && (is_repeatable_ || !has_written_);
    }

    /** The body that `perform` took from the request. */
    [[nodiscard]] std::string take_body() noexcept { return std::move(lease_->outgoing_body()); }

    [[nodiscard]] const http_response_head& head() const noexcept override { return head_; }
    [[nodiscard]] bool is_complete() const noexcept override { return parser_.is_done(); }
    task<std::string_view> read_some() override;
    void close() noexcept override;
    void limit_gap(std::chrono::nanoseconds limit) noexcept override { timeouts_.gap = limit; }
    [[nodiscard]] bool is_over() const noexcept override { return is_over_; }
    [[nodiscard]] bool is_open() const noexcept override { return static_cast<bool>(lease_); }
    [[nodiscard]] const std::string& endpoint() const noexcept override { return endpoint_; }

private:
    enum class phase { send, head, body };

    task<std::optional<error>> send_beginning();
    task<std::optional<error>> write_from(const std::string& bytes, std::size_t begin);
    task<std::optional<error>> read_head();
    task<std::optional<error>> upload_and_read_head();
    task<void> upload();
    task<std::optional<error>> write_pieces();
    [[nodiscard]] bool is_streamed() const noexcept { return pieces_ != nullptr; }
    void parse_received();
    void finish() noexcept;
    [[nodiscard]] error failure(phase when, const boost::system::error_code& code) const;
    [[nodiscard]] error late(phase when) const;
    [[nodiscard]] error parse_failure() const;
    [[noreturn]] void fail(error cause);

    connection_lease lease_;
    std::shared_ptr<const http_client_options> options_;
    http_timeouts timeouts_;
    std::string endpoint_;
    response_parser parser_;
    http_response_head head_;
    const proxy_server* forwarder_;  // that the request is handed to as a whole; in the options
    std::size_t sent_with_head_ = 0;  // of the body, in one write with the head
    std::optional<error> upload_failure_;
    async_generator<std::string>* pieces_ = nullptr;  // of a body that is a stream
    std::exception_ptr stream_failure_;
    std::stop_source answered_{std::nostopstate};  // of a stream: the peer wants no more of it
    bool was_reused_;
    bool is_repeatable_;
    bool has_written_ = false;  // the connection has taken something of the request
    bool is_sent_ = false;
    bool has_received_ = false;
    bool is_over_ = false;  // the end of the body was given out
};

}  // namespace weft::net_detail
