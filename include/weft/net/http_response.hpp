#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/net/options/http_response_head.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace weft {

namespace net_detail {
class response_source;
}

/** A response whose head is there and whose body is read piece by piece, as fast as the caller asks for it.
 *
 *      for (;;) {
 *          const std::string_view bytes = co_await response.read_some();
 *          if (bytes.empty()) break;
 *          parser.feed(bytes);
 *      }
 *
 *  A response that was read to its end gives its connection back for the next request. One that is destroyed or fails
 *  before that closes it: on the wire that is what cancelling a request means.
 *
 *  @par Cancellation    A stop closes the connection at once; it serves no other request.
 *  @par Thread safety   None: it lives on the loop that sent the request.
 *  @par Lifetimes       Independent of the client. It may be moved while a read is under way, not destroyed.
 */
class http_response {
public:
    explicit http_response(std::unique_ptr<net_detail::response_source> source) noexcept;
    http_response(http_response&&) noexcept;
    http_response& operator=(http_response&&) noexcept;
    ~http_response();

    [[nodiscard]] const http_response_head& head() const noexcept;
    [[nodiscard]] int status() const noexcept { return head().status; }

    /** Waits for the next bytes of the body, decoded.
     *
     *  @return   As much as is there; empty at the end of the body. Valid until the next call or the end of the
     *            response.
     *
     *  @par Errors
     *    - `errc::gap_timeout`         nothing came for longer than the gap that is allowed.
     *    - `errc::response_truncated`  the stream ended before the body did.
     *    - `errc::invalid_response`    the body's frame is not valid HTTP.
     *    - `errc::response_too_large`  the body is larger than allowed.
     *    - `errc::cancelled`           a stop came.
     *    What came before the error has been given out by then. */
    [[nodiscard]] task<std::string_view> read_some();

    /** Reads the body to its end.
     *
     *  @param bytes_max   More than that is an error.
     *
     *  @par Errors   As `read_some`; `errc::response_too_large` beyond `bytes_max`. */
    [[nodiscard]] task<std::string> read_all(std::size_t bytes_max);

    /** Reads at most `bytes_max` of the body and leaves the rest: for messages of which a part will do.
     *
     *  @par Errors   As `read_some`. */
    [[nodiscard]] task<std::string> read_at_most(std::size_t bytes_max);

    /** Reads and drops what is left, if it is little and comes soon, so that the connection can be used again.
     *
     *  For bodies whose content says that nothing of interest follows. Ends the response in any case.
     *
     *  @return   True if the end was reached.
     *
     *  @par Errors   `errc::cancelled` only. */
    [[nodiscard]] task<bool> drain(std::size_t bytes_max = 16 * 1024,
                                   std::chrono::nanoseconds time_max = std::chrono::milliseconds{100});

    /** True if the end of the body has arrived: all of it was or will be given out. */
    [[nodiscard]] bool is_complete() const noexcept;

    /** Ends the response where it is. Reading again is an error. */
    void close() noexcept;

private:
    std::unique_ptr<net_detail::response_source> source_;
};

}  // namespace weft
