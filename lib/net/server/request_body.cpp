#include "request_body.hpp"

#include <weft/net/server/http_error.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace weft::net_detail {

namespace {

constexpr std::size_t piece_room_min = 512;
constexpr std::size_t piece_room_max = 64 * 1024;
constexpr std::size_t skipped_max = 64 * 1024;
constexpr std::uint64_t reserved_max = 1024 * 1024;  // what a client only claims to send is not worth more memory

[[noreturn]] void refuse_large(std::uint64_t bytes_max)
{
    throw http_error{413, "content_too_large", "the body is larger than " + std::to_string(bytes_max) + " bytes"};
}

}  // namespace

/** Reads what comes next of the body, and adds it to `to` unless that is null. */
task<void> request_body::read_piece(arrival_pace& pace, std::string* to)
{
    read_buffer& in = line_.in();
    if (in.size() > 0) {
        const request_parser::result step = parser_.parse(in.data(), in.size());
        bytes_ += step.body.size();
        if (to) to->append(step.body);
        in.consume(step.consumed);
        if (parser_.is_done() || parser_.has_failed() || step.consumed > 0) co_return;
    }
    // A large body is read in large pieces: each costs a system call.
    const std::uint64_t left = parser_.content_length().value_or(piece_room_max);
    const time_point before = line_.now();
    const auto room = static_cast<std::size_t>(std::clamp<std::uint64_t>(left, piece_room_min, piece_room_max));
    const std::size_t received = co_await line_.fill(pace.deadline(before), room);
    pace.arrived(received, line_.now() - before);
}

task<std::string> request_body::read(std::uint64_t bytes_max)
{
    const std::optional<std::uint64_t> length = parser_.content_length();
    if (length && *length > bytes_max) refuse_large(bytes_max);
    // Only now: a client that is refused for its head has not sent its body.
    if (std::exchange(owes_continue_, false)) {
        line_.out().assign("HTTP/1.1 100 Continue\r\n\r\n");
        co_await line_.send_out();
    }
    std::string body;
    if (length) body.reserve(static_cast<std::size_t>(std::min(*length, reserved_max)));
    arrival_pace arriving = pace();
    while (!parser_.is_done()) {
        co_await read_piece(arriving, &body);
        if (parser_.has_failed())
            throw http_error{parser_.failure_status(), "invalid_request", parser_.failure_text()};
        if (body.size() > bytes_max) refuse_large(bytes_max);
        if (line_.is_lost()) line_.throw_lost();
    }
    co_return body;
}

task<void> request_body::skip()
{
    arrival_pace arriving = pace();
    while (!parser_.is_done() && !line_.is_lost() && !parser_.has_failed()) co_await read_piece(arriving, nullptr);
}

bool request_body::is_worth_skipping() const noexcept
{
    const std::optional<std::uint64_t> length = parser_.content_length();
    return !owes_continue_ && length && *length - bytes_ <= skipped_max;
}

}  // namespace weft::net_detail
