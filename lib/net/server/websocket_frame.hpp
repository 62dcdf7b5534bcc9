#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::net_detail {

/** What a frame is. @par Source  RFC 6455 §11.8. */
enum class websocket_opcode : std::uint8_t { continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

/** Frames from 8 on are about the connection: they are short, and may stand between the frames of a message. */
[[nodiscard]] constexpr bool is_control(websocket_opcode code) noexcept { return code >= websocket_opcode::close; }

/** Why a WebSocket was closed. @par Source  RFC 6455 §7.4.1, and the registry that it opens. */
namespace websocket_code {
inline constexpr std::uint16_t done = 1000;
inline constexpr std::uint16_t protocol_error = 1002;
inline constexpr std::uint16_t not_accepted = 1003;   ///< Binary messages.
inline constexpr std::uint16_t none = 1005;           ///< The client gave no code. Never sent.
inline constexpr std::uint16_t vanished = 1006;       ///< The connection broke. Never sent.
inline constexpr std::uint16_t invalid_text = 1007;
inline constexpr std::uint16_t too_large = 1009;
inline constexpr std::uint16_t server_failed = 1011;
inline constexpr std::uint16_t service_restart = 1012;
}  // namespace websocket_code

/** True if a close may carry the code. */
[[nodiscard]] bool is_websocket_code(std::uint16_t code) noexcept;

inline constexpr std::size_t websocket_control_bytes_max = 125;

/** Appends a frame that is a message, or is about the connection, to `out`: whole, and not masked, as servers send. */
void append_websocket_frame(std::string& out, websocket_opcode what, std::string_view payload);

/** Appends a close. @param reason  Cut to what fits. */
void append_websocket_close(std::string& out, std::uint16_t code, std::string_view reason);

}  // namespace weft::net_detail
