#pragma once

#include <weft/net/options/http_request_head.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace weft::net_detail {

struct request_limits {
    std::size_t line_bytes_max = 8 * 1024;    ///< Of the line with the target.
    std::size_t head_bytes_max = 16 * 1024;   ///< Also of the trailers.
    std::size_t fields_max = 100;
    std::size_t chunk_line_bytes_max = 256;   ///< With the chunk's extensions.
};

/** Takes HTTP/1.1 requests apart, one after the other. Does no I/O: bytes go in, a head and body bytes come out.
 *
 *  A request that two servers could read in two ways is refused, so that none hides behind another: a length beside a
 *  transfer encoding, two lengths, lines that end without CR, folded lines, controls. The parser is in no state to read
 *  on afterwards.
 *
 *  @par Source   RFC 9112; the grammar is Boost.Beast's.
 */
class request_parser {
public:
    explicit request_parser(request_limits limits = {});
    ~request_parser();
    request_parser(const request_parser&) = delete;
    request_parser& operator=(const request_parser&) = delete;

    /** Begins a request. */
    void start();

    struct result {
        std::size_t consumed;   ///< The rest has to be given again, with more behind it.
        std::string_view body;  ///< In the input; also what came before a failure. May be empty at any time.
    };

    /** Takes as much as there is, up to the end of the head, or of the request. Not after `is_done` or `has_failed`.
     *  A head is taken in one piece: until it is whole, nothing is consumed but an empty line before it.
     *  @param bytes  Changed where chunks are moved together. */
    [[nodiscard]] result parse(char* bytes, std::size_t size);

    [[nodiscard]] bool is_head_done() const noexcept { return is_head_done_; }
    [[nodiscard]] bool is_done() const noexcept;
    [[nodiscard]] bool has_failed() const noexcept { return failure_status_ != 0; }

    // After `is_head_done`.

    [[nodiscard]] const http_request_head& head() const noexcept;
    /** The length of the body, if the head says it; 0 without a body. Nothing for a body in chunks. */
    [[nodiscard]] std::optional<std::uint64_t> content_length() const noexcept;
    /** True if the client waits for `100 Continue` before it sends the body. */
    [[nodiscard]] bool expects_continue() const noexcept;
    /** True if the client means to send another request on the connection. */
    [[nodiscard]] bool keeps_alive() const noexcept;

    /** Why it failed, as the status of the answer: 400, 414, 417, 431, 501 or 505. */
    [[nodiscard]] int failure_status() const noexcept { return failure_status_; }
    [[nodiscard]] const std::string& failure_text() const noexcept { return failure_text_; }

private:
    class sink;

    [[nodiscard]] std::optional<std::size_t> find_head_end(std::string_view bytes);
    [[nodiscard]] bool check_line(std::string_view line);
    void check_partial_head(std::string_view bytes);
    std::size_t parse_head(char* bytes, std::size_t size);
    std::size_t parse_body(char* bytes, std::size_t size);
    void check_head();
    void check_framing();
    void check_host();
    void check_target();
    void fail(int status, std::string text);

    request_limits limits_;
    std::unique_ptr<sink> sink_;
    std::size_t scanned_ = 0;  // bytes of whole lines that are known to be good
    std::size_t lines_ = 0;    // of headers
    bool has_begun_ = false;
    bool is_head_done_ = false;
    int failure_status_ = 0;
    std::string failure_text_;
};

}  // namespace weft::net_detail
