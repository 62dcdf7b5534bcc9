#pragma once

#include <weft/base/errc.hpp>
#include <weft/net/options/http_response_head.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace weft::net_detail {

struct response_limits {
    std::size_t head_bytes_max;  ///< Also of the line of a chunk, and of the trailers.
    std::uint64_t body_bytes_max;
};

/** Takes HTTP/1.1 responses apart, one after the other. Does no I/O: bytes go in, a head and body bytes come out.
 *
 *  Chunked bodies are decoded in place: what stands in several chunks of one piece of input is moved together, so that
 *  the caller gets one view without any copy of its own. Interim responses (1xx) are skipped.
 *
 *  @par Source   RFC 9112; the parsing itself is Boost.Beast's.
 */
class response_parser {
public:
    response_parser();
    ~response_parser();
    response_parser(const response_parser&) = delete;
    response_parser& operator=(const response_parser&) = delete;

    /** Begins a response. @param has_no_body  True if the request was HEAD. */
    void start(response_limits limits, bool has_no_body);

    struct result {
        std::size_t consumed;   ///< The rest has to be given again, with more behind it.
        std::string_view body;  ///< In the input; also what came before a failure. May be empty at any time.
    };

    /** Takes as much as there is, up to the end of the response. Not after `is_done` or `has_failed`.
     *  @param bytes  Changed where chunks are moved together. */
    [[nodiscard]] result parse(char* bytes, std::size_t size);

    /** Says that the peer has closed the stream in good order. It ends a body that has no other end. */
    void end_of_input();

    [[nodiscard]] bool is_head_done() const noexcept;
    [[nodiscard]] bool is_done() const noexcept;
    [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }
    /** True if the connection may carry another exchange. Only after `is_done`. */
    [[nodiscard]] bool keeps_alive() const;

    /** The head, once: after `is_head_done`. */
    [[nodiscard]] http_response_head take_head();

    /** Why it failed: `invalid_response` or `response_too_large`. */
    [[nodiscard]] errc failure_code() const noexcept { return failure_code_; }
    [[nodiscard]] const std::string& failure_text() const noexcept { return failure_text_; }

private:
    class sink;

    void fail(errc code, std::string text);
    void fail_for_large_head();
    void fail_for_large_frame();
    void check_head();
    void begin_after_interim();
    std::size_t parse_head(char* bytes, std::size_t size);
    std::size_t parse_body(char* bytes, std::size_t size);
    std::size_t put(char* bytes, std::size_t size);

    std::unique_ptr<sink> sink_;
    response_limits limits_{};
    std::size_t head_bytes_ = 0;
    bool has_no_body_ = false;
    bool has_begun_ = false;  // the parser has seen something of the status line
    bool has_failed_ = false;
    errc failure_code_{};
    std::string failure_text_;
};

}  // namespace weft::net_detail
