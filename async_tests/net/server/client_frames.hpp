#pragma once

#include "net/server/websocket_frame.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/** Frames as a client sends and reads them. */
namespace client_frames {

using weft::net_detail::websocket_opcode;

struct frame_bits {
    bool is_final = true;
    bool is_masked = true;
    unsigned reserved = 0;  // in their places
};

/** A masked frame. */
inline std::string masked(unsigned opcode, std::string_view payload, frame_bits bits = {})
{
    constexpr std::string_view mask{"\x37\xfa\x21\x3d", 4};
    std::string frame;
    frame += static_cast<char>((bits.is_final ? 0x80u : 0u) | bits.reserved | opcode);
    const unsigned masked_bit = bits.is_masked ? 0x80u : 0u;
    const auto size = static_cast<std::uint64_t>(payload.size());
    const int length_bytes = size <= 125 ? 0 : size <= 0xffff ? 2 : 8;
    frame += static_cast<char>(masked_bit | (length_bytes == 0 ? size : length_bytes == 2 ? 126u : 127u));
    for (int i = length_bytes; i-- > 0;) frame += static_cast<char>(size >> (8 * i) & 0xff);
    if (!bits.is_masked) return frame.append(payload);
    frame.append(mask);
    for (std::size_t i = 0; i < payload.size(); ++i) frame += static_cast<char>(payload[i] ^ mask[i % 4]);
    return frame;
}

inline std::string text_frame(std::string_view payload) { return masked(1, payload); }
inline std::string ping_frame(std::string_view payload = {}) { return masked(9, payload); }
inline std::string pong_frame(std::string_view payload = {}) { return masked(10, payload); }

inline std::string code_bytes(unsigned code)
{
    return {static_cast<char>(code >> 8), static_cast<char>(code & 0xff)};
}
inline std::string close_frame(unsigned code, std::string_view reason = {})
{
    return masked(8, code_bytes(code).append(reason));
}

struct server_frame {
    websocket_opcode opcode;
    std::string payload;
    [[nodiscard]] unsigned code() const
    {
        return payload.size() < 2 ? 0
                                  : static_cast<unsigned char>(payload[0]) * 256u +
                                        static_cast<unsigned char>(payload[1]);
    }
};

/** Takes a frame of a server out of what has come; nothing if it is not whole yet. */
inline std::optional<server_frame> take_frame(std::string& received)
{
    if (received.size() < 2) return std::nullopt;
    const unsigned said = static_cast<unsigned char>(received[1]);
    const std::size_t length_bytes = said == 126 ? 2 : said == 127 ? 8 : 0;
    if (received.size() < 2 + length_bytes) return std::nullopt;
    std::uint64_t size = length_bytes == 0 ? said : 0;
    for (std::size_t i = 0; i < length_bytes; ++i) size = size << 8 | static_cast<unsigned char>(received[2 + i]);
    if (received.size() < 2 + length_bytes + size) return std::nullopt;
    server_frame frame{static_cast<websocket_opcode>(received[0] & 0x0f),
                       received.substr(2 + length_bytes, static_cast<std::size_t>(size))};
    received.erase(0, 2 + length_bytes + static_cast<std::size_t>(size));
    return frame;
}

}  // namespace client_frames
