#include "response_parser.hpp"

#include "message_sink.hpp"

#include <boost/asio/buffer.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace weft::net_detail {

namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::size_t status_end = 12;            // of `HTTP/1.1 200`
constexpr std::size_t shortest_status_line = 14;  // with the end of the line

/** True for a status line without a reason and without the blank before it. */
bool is_shortest_status_line(const char* bytes) noexcept
{
    const std::string_view line{bytes, shortest_status_line};
    return line.starts_with("HTTP/1.") && line.ends_with("\r\n");
}

}  // namespace

/** A response as Beast's parser reports it. */
class response_parser::sink final : public message_sink<false> {
public:
    http_response_head head;

private:
    void on_request_impl(http::verb, beast_view, beast_view, int, error_code&) override {}
    void on_response_impl(int code, beast_view reason, int, error_code&) override
    {
        head.status = code;
        head.reason = view(reason);
    }
    void on_field_impl(http::field, beast_view name, beast_view value, error_code&) override
    {
        if (!is_header_done()) head.headers.add_unchecked(view(name), view(value));  // else it is a trailer
    }
};

response_parser::response_parser() = default;
response_parser::~response_parser() = default;

void response_parser::start(response_limits limits, bool has_no_body)
{
    sink_ = std::make_unique<sink>();
    sink_->frame_limit(limits.head_bytes_max);
    sink_->header_limit(static_cast<std::uint32_t>(limits.head_bytes_max));
    sink_->body_limit(limits.body_bytes_max);
    sink_->skip(has_no_body);
    limits_ = limits;
    has_no_body_ = has_no_body;
    head_bytes_ = 0;
    has_begun_ = false;
    has_failed_ = false;
}

response_parser::result response_parser::parse(char* bytes, std::size_t size)
{
    std::size_t consumed = 0;
    while (consumed < size && !is_done() && !has_failed_) {
        const bool was_in_head = !is_head_done();
        const std::size_t left = size - consumed;
        consumed += was_in_head ? parse_head(bytes + consumed, left) : parse_body(bytes + consumed, left);
        if (has_failed_) break;
        if (is_done() && sink_->head.status < 200)
            begin_after_interim();
        else if (!was_in_head || !is_head_done())
            break;
    }
    return {consumed, sink_->body()};
}

/** Interim responses are bounded together, or a peer could send them for ever. */
void response_parser::begin_after_interim()
{
    const std::size_t head_bytes = head_bytes_;
    if (head_bytes > limits_.head_bytes_max) return fail_for_large_head();
    start(limits_, has_no_body_);
    head_bytes_ = head_bytes;
}

std::size_t response_parser::parse_head(char* bytes, std::size_t size)
{
    std::size_t consumed = 0;
    if (!has_begun_) {
        if (size < shortest_status_line) return 0;
        has_begun_ = true;
        if (is_shortest_status_line(bytes)) {
            // Beast wants the blank that RFC 9112 §4 demands before the reason, even without one; many servers and all
            // other clients do not.
            std::array<char, shortest_status_line + 1> line;
            std::copy_n(bytes, status_end, line.begin());
            std::copy_n(" \r\n", 3, line.begin() + status_end);
            put(line.data(), line.size());
            consumed = shortest_status_line;
        }
    }
    if (!has_failed_ && consumed < size) consumed += put(bytes + consumed, size - consumed);
    if (has_failed_) return consumed;
    head_bytes_ += consumed;
    if (sink_->is_header_done()) {
        sink_->eager(true);
        check_head();
    } else if (head_bytes_ + (size - consumed) > limits_.head_bytes_max) {
        fail_for_large_head();
    }
    return consumed;
}

std::size_t response_parser::parse_body(char* bytes, std::size_t size)
{
    const std::size_t consumed = put(bytes, size);
    if (has_failed_) return consumed;
    // However its bytes come, a frame is counted from the body before it to its own end.
    const char* const frame_end = is_done() ? bytes + consumed : bytes + size;
    if (sink_->frame_bytes(frame_end) > limits_.head_bytes_max) fail_for_large_frame();
    sink_->end(bytes + consumed);
    return consumed;
}

std::size_t response_parser::put(char* bytes, std::size_t size)
{
    error_code ec;
    sink_->begin(bytes);
    if (sink_->wants_more_than(bytes, size)) return 0;
    const std::size_t consumed = sink_->put(boost::asio::const_buffer{bytes, size}, ec);
    if (!ec || ec == http::error::need_more) return consumed;
    if (sink_->has_large_frame()) {
        fail_for_large_frame();
    } else {
        const bool is_size = ec == http::error::header_limit || ec == http::error::body_limit;
        fail(is_size ? errc::response_too_large : errc::invalid_response, ec.message());
    }
    return consumed;
}

/** Refuses what would make the body bytes something else than the caller takes them for. */
void response_parser::check_head()
{
    const http_response_head& head = sink_->head;
    if (head.status < 100 || head.status == 101) return fail(errc::invalid_response, "the status has no meaning here");
    const auto transfer = head.headers.find("transfer-encoding");
    if (transfer && !equals_ignoring_case(*transfer, "chunked"))
        return fail(errc::invalid_response, "the transfer encoding is not chunked alone");
    const auto content = head.headers.find("content-encoding");
    if (content && !equals_ignoring_case(*content, "identity"))
        fail(errc::invalid_response, "the body is compressed although the request did not allow it");
}

void response_parser::fail_for_large_head()
{
    fail(errc::response_too_large, "the head is larger than head_bytes_max");
}

void response_parser::fail_for_large_frame()
{
    fail(errc::response_too_large, "the frame of a chunk, or its trailers, are larger than head_bytes_max");
}

void response_parser::end_of_input()
{
    if (!sink_->is_header_done()) return;
    error_code ec;
    sink_->put_eof(ec);  // an error means that the body has another end, which did not come
}

bool response_parser::is_head_done() const noexcept { return sink_->is_header_done(); }

bool response_parser::is_done() const noexcept { return sink_->is_done(); }

bool response_parser::keeps_alive() const { return sink_->keep_alive(); }

http_response_head response_parser::take_head() { return std::move(sink_->head); }

void response_parser::fail(errc code, std::string text)
{
    has_failed_ = true;
    failure_code_ = code;
    failure_text_ = std::move(text);
}

}  // namespace weft::net_detail
