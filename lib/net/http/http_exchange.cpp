#include "http_exchange.hpp"

#include "net/connection/proxy_tunnel.hpp"
#include "net/connection/request_head.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/wait/with_stop.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>
#include <utility>

namespace weft::net_detail {

namespace {

namespace net_error = boost::asio::error;
using boost::system::error_code;

/** A request that fits goes out as one write: one TLS record, one segment. */
constexpr std::size_t write_size = 16 * 1024;

/** Puts a piece of a body into its frame; an empty one ends the body.
 *  @par Source   RFC 9112 §7.1. */
std::string chunk_of(std::string_view piece)
{
    char size[16];
    const auto end = std::to_chars(std::begin(size), std::end(size), piece.size(), 16).ptr;
    std::string chunk{size, end};
    return chunk.append("\r\n").append(piece).append("\r\n");
}

std::string milliseconds(std::chrono::nanoseconds time)
{
    return std::to_string(std::chrono::ceil<std::chrono::milliseconds>(time).count()) + " ms";
}

}  // namespace

http_exchange::http_exchange(connection_lease lease, std::shared_ptr<const http_client_options> options,
                             const http_request& request)
    : lease_{std::move(lease)}, options_{std::move(options)},
      timeouts_{request.timeouts() ? *request.timeouts() : options_->timeouts},
      endpoint_{lease_->endpoint()},
      forwarder_{request.target().is_https() ? nullptr : options_->proxy_for(request.target())},
      was_reused_{lease_.is_reused()}, is_repeatable_{request.is_repeatable()}
{
    parser_.start({options_->head_bytes_max, options_->body_bytes_max}, request.method() == "HEAD");
}

task<std::optional<error>> http_exchange::perform(http_request& request)
{
    append_request_head(lease_->outgoing_head(), request, options_->user_agent, forwarder_);  // with the body's length
    lease_->outgoing_body() = request.take_body();
    std::optional<error> send_failure = co_await send_beginning();
    const bool has_more = sent_with_head_ < lease_->outgoing_body().size();
    if (!send_failure && has_more) {
        std::optional<error> failed = co_await upload_and_read_head();
        co_return failed;
    }
    is_sent_ = !send_failure;
    if (send_failure && send_failure->code() != errc::connection_lost) co_return send_failure;
    // A peer that stopped taking the request has perhaps said why.
    lease_->deadline().start(timeouts_.first_byte);
    std::optional<error> head_failure = co_await read_head();
    lease_->deadline().stop();
    if (head_failure && send_failure) co_return send_failure;
    co_return head_failure;
}

task<std::optional<error>> http_exchange::perform(const http_request& request, std::string first,
                                                  async_generator<std::string>& pieces)
{
    pieces_ = &pieces;
    append_request_head(lease_->outgoing_head(), request, options_->user_agent, forwarder_);
    lease_->outgoing_body() = chunk_of(first);
    std::optional<error> failed = co_await send_beginning();
    if (failed) co_return failed;
    answered_ = std::stop_source{};
    std::optional<error> refused = co_await upload_and_read_head();
    if (stream_failure_) std::rethrow_exception(stream_failure_);
    co_return refused;
}

/** Sends the head and as much of the body as fits into the same write. */
task<std::optional<error>> http_exchange::send_beginning()
{
    std::string& head = lease_->outgoing_head();
    const std::string& body = lease_->outgoing_body();
    sent_with_head_ = head.size() < write_size ? std::min(write_size - head.size(), body.size()) : 0;
    head.append(body, 0, sent_with_head_);
    std::optional<error> failed = co_await write_from(head, 0);
    lease_->wipe_outgoing_head();
    co_return failed;
}

task<std::optional<error>> http_exchange::write_from(const std::string& bytes, std::size_t begin)
{
    phase_deadline& deadline = lease_->deadline();
    while (begin < bytes.size()) {
        deadline.start(timeouts_.send);
        const auto [code, size] = co_await lease_->write_some(std::string_view(bytes).substr(begin));
        deadline.stop();
        if (code || deadline.has_passed()) co_return failure(phase::send, code);
        has_written_ = true;
        begin += size;
    }
    co_return std::nullopt;
}

/** Listens while the rest of a large body goes out: a peer that refuses it says so, and then may neither read on nor
 *  close. After a refusal nothing more is sent, and the connection serves no other request. */
task<std::optional<error>> http_exchange::upload_and_read_head()
{
    const task_context& context = co_await this_task::context();
    scope sending{context};
    sending.spawn(upload());
    std::optional<error> head_failure = co_await read_head();
    // The one that failed first knows why; a stop below makes the upload fail as well.
    std::optional<error> failed = head_failure && upload_failure_ ? upload_failure_ : head_failure;
    const bool is_unwanted = failed || !head_.is_success();
    // A stop would end the stream, which others may read: it is left when its next piece is there.
    if (is_unwanted && is_streamed()) answered_.request_stop();
    else if (is_unwanted) sending.request_stop();
    co_await sending.join();
    lease_->deadline().stop();
    co_return failed;
}

task<void> http_exchange::upload()
{
    std::optional<error> failed = co_await write_from(lease_->outgoing_body(), sent_with_head_);
    if (!failed && is_streamed()) {
        std::optional<error> further = co_await write_pieces();
        failed = std::move(further);
    }
    upload_failure_ = std::move(failed);
    const bool is_given_up = stream_failure_ || answered_.stop_requested();
    is_sent_ = !upload_failure_ && !is_given_up;
    // Without the whole request there is no answer: the wait for one is over.
    if (stream_failure_) lease_->deadline().start(std::chrono::nanoseconds{0});
    else if (!is_given_up) lease_->deadline().start(timeouts_.first_byte);
}

task<std::optional<error>> http_exchange::write_pieces()
{
    std::string& chunk = lease_->outgoing_body();
    const bool is_empty = chunk == chunk_of({});  // what was sent is the end already
    for (bool has_more = !is_empty; has_more;) {
        try {
            const std::string* const piece = co_await pieces_->next();
            has_more = piece;
            if (piece && piece->empty()) continue;
            chunk = chunk_of(piece ? std::string_view{*piece} : std::string_view{});
        } catch (...) {
            stream_failure_ = std::current_exception();
        }
        if (stream_failure_ || answered_.stop_requested()) break;
        task<std::optional<error>> writing = write_from(chunk, 0);
        std::stop_token unwanted = answered_.get_token();
        std::optional<error> failed = co_await with_stop(std::move(writing), std::move(unwanted));
        if (failed) co_return failed;
    }
    co_return std::nullopt;
}

task<std::optional<error>> http_exchange::read_head()
{
    const phase_deadline& deadline = lease_->deadline();
    while (!parser_.is_head_done()) {
        const auto [code, size] = co_await lease_->read_some();
        if (code || deadline.has_passed()) co_return failure(is_sent_ ? phase::head : phase::send, code);
        has_received_ = true;
        lease_->received().commit(size);
        parse_received();
        if (parser_.has_failed()) co_return parse_failure();
    }
    head_ = parser_.take_head();
    constexpr int proxy_authentication_required = 407;
    if (forwarder_ && head_.status == proxy_authentication_required)
        co_return proxy_refusal(endpoint_, *forwarder_, head_);
    co_return std::nullopt;
}

task<std::string_view> http_exchange::read_some()
{
    while (body_.empty()) {
        if (is_over_) break;
        if (!lease_) throw error{errc::response_truncated, endpoint_, "the response was closed; read it no further"};
        if (parser_.has_failed()) fail(parse_failure());
        if (parser_.is_done()) {
            finish();
            break;
        }
        connection& wire = *lease_;
        wire.deadline().start(timeouts_.gap);
        const auto [code, size] = co_await wire.read_some();
        wire.deadline().stop();
        if (wire.deadline().has_passed()) fail(late(phase::body));
        if (code == net_error::eof) parser_.end_of_input();
        if (code && !parser_.is_done()) fail(failure(phase::body, code));
        if (code) continue;
        wire.received().commit(size);
        parse_received();
    }
    co_return std::exchange(body_, {});
}

void http_exchange::parse_received()
{
    read_buffer& received = lease_->received();
    const response_parser::result result = parser_.parse(received.data(), received.size());
    received.consume(result.consumed);
    body_ = result.body;
}

/** The body was given out to its end. The connection may serve the next request if both sides agree on where it is. */
void http_exchange::finish() noexcept
{
    is_over_ = true;
    const bool is_between_messages = is_sent_ && parser_.keeps_alive() && lease_->received().size() == 0;
    if (is_between_messages)
        lease_.give_back();
    else
        lease_.close();
}

error http_exchange::failure(phase when, const error_code& code) const
{
    if (lease_->deadline().has_passed()) return late(when);
    if (code == net_error::operation_aborted) return error{errc::cancelled, endpoint_};
    if (!has_received_ && code.category() == net_error::get_ssl_category())
        return error{errc::tls_failed, endpoint_, "the peer ended the TLS connection: " + code.message()};
    if (!has_received_) {
        const char* const where = when == phase::send ? "while the request was sent: " : "before the response began: ";
        return error{errc::connection_lost, endpoint_, where + code.message()};
    }
    const char* const where = when == phase::body ? "in the body of the response: " : "in the head of the response: ";
    return error{errc::response_truncated, endpoint_, where + code.message()};
}

error http_exchange::late(phase when) const
{
    switch (when) {
    case phase::send:
        return error{errc::send_timeout, endpoint_, "nothing was taken for " + milliseconds(timeouts_.send)};
    case phase::head:
        return error{errc::first_byte_timeout, endpoint_,
                     "no answer within " + milliseconds(timeouts_.first_byte) +
                         "; a slow model needs a longer timeout `first_byte`"};
    case phase::body: break;
    }
    return error{errc::gap_timeout, endpoint_,
                 "nothing came for " + milliseconds(timeouts_.gap) +
                     "; a model that pauses needs a longer timeout `gap`"};
}

error http_exchange::parse_failure() const
{
    return error{parser_.failure_code(), endpoint_, parser_.failure_text()};
}

void http_exchange::close() noexcept
{
    body_ = {};  // it is in the buffer of the connection, which goes
    lease_.close();
}

void http_exchange::fail(error cause)
{
    close();
    throw error{std::move(cause)};
}

}  // namespace weft::net_detail
