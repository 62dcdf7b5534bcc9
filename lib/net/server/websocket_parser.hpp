#pragma once

#include "websocket_frame.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::net_detail {

/** What the bytes of a client come to. */
struct websocket_event {
    enum class kind : std::uint8_t {
        nothing,  ///< More bytes are needed.
        text,     ///< A whole message.
        ping,
        pong,
        close,    ///< With `code`, which is 1005 if the client gave none, and the reason.
        failure,  ///< The client breaks the protocol or a limit: `code` to close with, and what is wrong.
    };
    kind what = kind::nothing;
    std::uint16_t code = 0;
    std::string bytes;
};

/** Takes the frames of a client apart. Does no I/O: bytes go in, events come out, the same however the bytes are cut.
 *
 *  Strict: what the protocol does not allow ends it, with the code that the close should have. Frames of a message are
 *  joined up to a bound. Nothing is read after a close or a failure.
 *
 *  @par Source   RFC 6455 §5, §8.1. No extension is agreed on, so reserved bits are mistakes.
 */
class websocket_parser {
public:
    explicit websocket_parser(std::size_t message_bytes_max) noexcept : message_bytes_max_{message_bytes_max} {}

    struct result {
        std::size_t consumed;  ///< The rest has to be given again, with more behind it if the event is `nothing`.
        websocket_event event;
    };

    /** Takes as much as there is, up to the first event. Not after `is_over`.
     *  @param bytes  Changed: the mask is taken off in place. */
    [[nodiscard]] result parse(char* bytes, std::size_t size);

    /** True after a close or a failure. */
    [[nodiscard]] bool is_over() const noexcept { return is_over_; }
    [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }
    /** How many bytes the frame that has begun still has; 0 between frames. */
    [[nodiscard]] std::uint64_t missing() const noexcept { return missing_; }

private:
    [[nodiscard]] bool check_start(unsigned first, unsigned second, websocket_event& event);
    [[nodiscard]] std::size_t take_head(std::string_view bytes, websocket_event& event);
    [[nodiscard]] std::size_t take_payload(char* bytes, std::size_t size);
    [[nodiscard]] websocket_event end_frame();
    [[nodiscard]] websocket_event end_message();
    [[nodiscard]] websocket_event end_connection();
    [[nodiscard]] websocket_event fail(std::uint16_t code, std::string_view what);

    std::size_t message_bytes_max_;
    std::string message_;   // its frames so far
    std::string control_;   // payload of a frame about the connection
    websocket_opcode opcode_ = websocket_opcode::continuation;  // of the frame
    std::array<char, 4> mask_{};
    std::uint64_t missing_ = 0;
    std::size_t masked_ = 0;        // bytes of the frame whose mask is off
    bool is_final_ = false;         // the frame ends its message
    bool is_in_frame_ = false;
    bool is_in_message_ = false;
    bool is_over_ = false;
    bool has_failed_ = false;
};

}  // namespace weft::net_detail
