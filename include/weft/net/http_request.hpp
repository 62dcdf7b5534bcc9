#pragma once

#include <weft/net/http_timeouts.hpp>
#include <weft/net/secret_string.hpp>
#include <weft/net/text/http_headers.hpp>
#include <weft/net/url.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

template <class T>
class async_generator;

/** An HTTP/1.1 request: method, URL, headers and a body, which is sent with its length unless it is a stream.
 *
 *      weft::http_request request{"POST", weft::url{"https://api.example.com/v1/chat"}};
 *      request.bearer(key).header("accept", "text/event-stream").body(std::move(json), "application/json");
 *      weft::http_response response = co_await client.send(std::move(request));
 *
 *  `Host`, `Content-Length`, `Connection` and `Proxy-Authorization` are the client's; naming one of them is an error.
 *
 *  @par Errors          `errc::invalid_configuration`, at once, for a method or header that could not be sent as it is;
 *                       the message never repeats a value.
 *  @par Thread safety   As a value. Copies of one whose body is a stream share the stream: one of them can be sent.
 */
class http_request {
public:
    /** A header whose value is a secret after a public prefix, as in `Authorization: Bearer …`. */
    struct secret_header {
        std::string name;
        std::string prefix;
        secret_string secret;
    };

    explicit http_request(std::string method, url target);

    /** Puts a header in place of those of the same name. */
    http_request& header(std::string_view name, std::string_view value);
    /** Adds a header whose value must not be seen; it is sent over TLS only, or to the own machine. */
    http_request& secret(std::string name, secret_string value, std::string prefix = {});
    /** `Authorization: Bearer <token>`. */
    http_request& bearer(secret_string token);
    /** Sends the header `Idempotency-Key`, and says that the server carries out what has one key once: when its
     *  connection is lost, the client may send the request again as it does a GET. A header of that name that is set
     *  with `header` goes out as well and promises nothing. */
    http_request& idempotency_key(std::string_view key);
    /** The body, and its type unless that is empty. */
    http_request& body(std::string content, std::string_view content_type = {});
    /** A body that is sent while it is made, piece by piece (`Transfer-Encoding: chunked`). The request goes out with
     *  the first piece, over a new connection. The next piece is asked for when the connection has taken the one
     *  before, so a slow server slows the writer. It cannot be sent twice, so it is never `is_repeatable`. */
    http_request& body(async_generator<std::string> pieces, std::string_view content_type = {});
    /** Limits for this request instead of the client's. */
    http_request& timeouts(http_timeouts limits) noexcept;

    [[nodiscard]] const std::string& method() const noexcept { return method_; }
    [[nodiscard]] const url& target() const noexcept { return target_; }
    [[nodiscard]] const http_headers& headers() const noexcept { return headers_; }
    [[nodiscard]] const std::vector<secret_header>& secrets() const noexcept { return secrets_; }
    [[nodiscard]] const std::string& body() const noexcept { return body_; }
    [[nodiscard]] bool streams_body() const noexcept { return pieces_ != nullptr; }
    [[nodiscard]] const std::optional<http_timeouts>& timeouts() const noexcept { return timeouts_; }
    /** True if sending it twice does no more than sending it once: GET, HEAD, OPTIONS, TRACE, PUT and DELETE, and what
     *  has an `idempotency_key`; never one whose body is a stream.
     *  @par Source   RFC 9110 §9.2.2. */
    [[nodiscard]] bool is_repeatable() const noexcept;

    /** Moves the body out, for the connection that sends it. */
    [[nodiscard]] std::string take_body() noexcept { return std::move(body_); }
    /** The same for a stream, which is there. */
    [[nodiscard]] async_generator<std::string> take_pieces() noexcept;

private:
    std::string method_;
    url target_;
    http_headers headers_;
    std::vector<secret_header> secrets_;
    std::string body_;
    std::shared_ptr<async_generator<std::string>> pieces_;
    std::optional<http_timeouts> timeouts_;
    bool has_idempotency_key_ = false;
};

}  // namespace weft
