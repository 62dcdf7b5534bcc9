#include "request_parser.hpp"

#include "net/connection/message_sink.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/assert.hpp>

#include <algorithm>
#include <utility>

namespace weft::net_detail {

namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

std::size_t count(const http_headers& headers, std::string_view name) noexcept
{
    std::size_t found = 0;
    for (std::size_t i = 0; i < headers.size(); ++i) found += equals_ignoring_case(headers[i].name, name);
    return found;
}

/** Letters, digits and what stands in names, addresses and ports: nothing that ends a host for some reader. */
bool is_host(std::string_view host) noexcept
{
    return std::all_of(host.begin(), host.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view{"-._~:[]%"}.find(c) != std::string_view::npos;
    });
}

int status_of(const error_code& ec) noexcept
{
    if (ec == http::error::bad_version) return 505;
    if (ec == http::error::header_limit) return 431;
    return 400;
}

}  // namespace

/** A request as Beast's parser reports it. */
class request_parser::sink final : public message_sink<true> {
public:
    http_request_head head;

private:
    void on_request_impl(http::verb, beast_view method, beast_view target, int version, error_code&) override
    {
        head.method = view(method);
        head.target = view(target);
        head.is_http_1_0 = version < 11;
    }
    void on_response_impl(int, beast_view, int, error_code&) override {}
    void on_field_impl(http::field, beast_view name, beast_view value, error_code&) override
    {
        if (!is_header_done()) head.headers.add_unchecked(view(name), view(value));  // else it is a trailer
    }
};

request_parser::request_parser(request_limits limits) : limits_{limits} {}
request_parser::~request_parser() = default;

void request_parser::start()
{
    sink_ = std::make_unique<sink>();
    sink_->frame_limit(limits_.chunk_line_bytes_max);
    sink_->header_limit(static_cast<std::uint32_t>(limits_.head_bytes_max));
    sink_->body_limit(boost::none);  // the limit of a body is that of its handler
    scanned_ = lines_ = 0;
    has_begun_ = false;
    is_head_done_ = false;
    failure_status_ = 0;
    failure_text_.clear();
}

request_parser::result request_parser::parse(char* bytes, std::size_t size)
{
    BOOST_ASSERT(!is_done() && !has_failed());
    if (is_head_done_) {
        const std::size_t consumed = parse_body(bytes, size);
        return {consumed, sink_->body()};
    }
    // Some clients end a body with a line that belongs to nothing (RFC 9112 §2.2).
    std::size_t skipped = 0;
    if (!has_begun_ && std::string_view{bytes, size}.starts_with("\r\n")) skipped = 2;
    if (size >= 2) has_begun_ = true;
    const std::size_t consumed = parse_head(bytes + skipped, size - skipped);
    return {skipped + consumed, {}};
}

std::size_t request_parser::parse_head(char* bytes, std::size_t size)
{
    const std::optional<std::size_t> end = find_head_end({bytes, size});
    if (!end || has_failed()) return 0;
    error_code ec;
    sink_->begin(bytes);
    sink_->head.headers.reserve(lines_, *end);
    const std::size_t consumed = sink_->put(boost::asio::const_buffer{bytes, *end}, ec);
    if (ec && ec != http::error::need_more) {
        fail(status_of(ec), "the head is not valid HTTP: " + ec.message());
        return 0;
    }
    // Beast waits for more of a request line whose version is too short, wherever the head ends.
    if (!sink_->is_header_done() || consumed != *end) {
        fail(400, "the request line is not valid HTTP");
        return 0;
    }
    is_head_done_ = true;
    sink_->eager(true);
    check_head();
    return consumed;
}

/** Looks at the lines that have come, each once. @return  How many bytes the head has, when it is whole. */
std::optional<std::size_t> request_parser::find_head_end(std::string_view bytes)
{
    for (;;) {
        const std::size_t end = bytes.find('\n', scanned_);
        if (end == std::string_view::npos) {
            check_partial_head(bytes);
            return std::nullopt;
        }
        const std::string_view line = bytes.substr(scanned_, end - scanned_);
        if (!check_line(line)) return std::nullopt;
        scanned_ = end + 1;
        if (scanned_ > limits_.head_bytes_max) {
            fail(431, "the head is larger than " + std::to_string(limits_.head_bytes_max) + " bytes");
            return std::nullopt;
        }
        if (line.size() == 1) return scanned_;
    }
}

bool request_parser::check_line(std::string_view line)
{
    const bool is_first = scanned_ == 0;
    if (is_first && line.size() > limits_.line_bytes_max) {
        fail(414, "the request line is longer than " + std::to_string(limits_.line_bytes_max) + " bytes");
    } else if (line.empty() || line.back() != '\r' || line.find('\r') + 1 != line.size()) {
        fail(400, "a line of the head does not end with CR LF, or has a CR inside");
    } else if (line.find('\0') != std::string_view::npos) {
        fail(400, "the head has a NUL character");
    } else if (!is_first && (line.front() == ' ' || line.front() == '\t')) {
        fail(400, "a header is folded over several lines");
    } else if (!is_first && line.size() > 1 && ++lines_ > limits_.fields_max) {
        fail(431, "there are more than " + std::to_string(limits_.fields_max) + " headers");
    }
    return !has_failed();
}

void request_parser::check_partial_head(std::string_view bytes)
{
    if (scanned_ == 0 && bytes.size() > limits_.line_bytes_max)
        fail(414, "the request line is longer than " + std::to_string(limits_.line_bytes_max) + " bytes");
    else if (bytes.size() > limits_.head_bytes_max)
        fail(431, "the head is larger than " + std::to_string(limits_.head_bytes_max) + " bytes");
}

std::size_t request_parser::parse_body(char* bytes, std::size_t size)
{
    error_code ec;
    sink_->begin(bytes);
    if (sink_->wants_more_than(bytes, size)) return 0;
    const std::size_t consumed = sink_->put(boost::asio::const_buffer{bytes, size}, ec);
    if (sink_->has_large_frame()) {
        fail(400, "the line of a chunk is longer than " + std::to_string(limits_.chunk_line_bytes_max) + " bytes");
    } else if (ec && ec != http::error::need_more) {
        fail(400, "the body is not valid HTTP: " + ec.message());
    } else {
        // However its bytes come, a frame is counted from the body before it to its own end.
        const char* const frame_end = is_done() ? bytes + consumed : bytes + size;
        if (sink_->chunked() && sink_->frame_bytes(frame_end) > limits_.head_bytes_max)
            fail(431, "the trailers, or the line of a chunk, are too long");
        sink_->end(bytes + consumed);
    }
    return consumed;
}

void request_parser::check_head()
{
    check_framing();
    if (!has_failed()) check_host();
    if (!has_failed()) check_target();
    if (has_failed()) return;
    // A client that expects what is not done would go on as if it were.
    const auto expectation = sink_->head.headers.find("expect");
    if (expectation && !equals_ignoring_case(*expectation, "100-continue"))
        fail(417, "the only expectation that this server meets is 100-continue");
}

/** Where the body ends must be said in one way. */
void request_parser::check_framing()
{
    const http_headers& headers = sink_->head.headers;
    const std::size_t lengths = count(headers, "content-length");
    const std::size_t encodings = count(headers, "transfer-encoding");
    // The same length twice would do no harm here, but a proxy in front may take another one of the two.
    if (lengths > 1) return fail(400, "there is more than one Content-Length");
    const std::string_view length = headers.find("content-length").value_or("");
    if (!std::all_of(length.begin(), length.end(), [](char c) { return c >= '0' && c <= '9'; }))
        return fail(400, "the Content-Length is no number");
    if (encodings == 0) return;
    if (lengths > 0) return fail(400, "there are Content-Length and Transfer-Encoding");
    if (encodings > 1 || sink_->head.is_http_1_0) return fail(400, "the Transfer-Encoding has no meaning here");
    if (!equals_ignoring_case(*headers.find("transfer-encoding"), "chunked"))
        fail(501, "the only Transfer-Encoding that this server knows is chunked");
}

void request_parser::check_host()
{
    const http_headers& headers = sink_->head.headers;
    const std::size_t hosts = count(headers, "host");
    if (hosts > 1 || (hosts == 0 && !sink_->head.is_http_1_0))
        return fail(400, "there must be one header Host, and there are " + std::to_string(hosts));
    const std::string_view host = headers.find("host").value_or("");
    if (!is_host(host)) return fail(400, "the header Host is no host and port");
    sink_->head.host = host;
}

/** An absolute target, as clients of proxies send it, becomes path and host (RFC 9112 §3.2.2). */
void request_parser::check_target()
{
    http_request_head& head = sink_->head;
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!head.target.starts_with(scheme)) continue;
        const std::size_t path = std::min(head.target.find_first_of("/?", scheme.size()), head.target.size());
        head.host = head.target.substr(scheme.size(), path - scheme.size());
        if (head.host.empty() || !is_host(head.host)) return fail(400, "the target has no valid host");
        head.target.erase(0, path);
        if (!head.target.starts_with('/')) head.target.insert(0, 1, '/');
        break;
    }
    const bool is_asterisk = head.target == "*" && head.method == "OPTIONS";
    if (!head.target.starts_with('/') && !is_asterisk) return fail(400, "the target is no path");
    if (head.target.find('#') != std::string::npos) fail(400, "the target has a fragment, which is never sent");
}

bool request_parser::is_done() const noexcept { return is_head_done_ && sink_->is_done(); }

const http_request_head& request_parser::head() const noexcept { return sink_->head; }

std::optional<std::uint64_t> request_parser::content_length() const noexcept
{
    if (sink_->chunked()) return std::nullopt;
    const auto length = sink_->content_length();
    return length ? *length : 0;
}

bool request_parser::expects_continue() const noexcept
{
    return !sink_->head.is_http_1_0 && sink_->head.headers.contains("expect");
}

bool request_parser::keeps_alive() const noexcept { return sink_->keep_alive(); }

void request_parser::fail(int status, std::string text)
{
    failure_status_ = status;
    failure_text_ = std::move(text);
}

}  // namespace weft::net_detail
