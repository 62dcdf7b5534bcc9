#include "websocket_frame.hpp"

#include <weft/base/utf8.hpp>

#include <boost/assert.hpp>

namespace weft::net_detail {

namespace {

void append_big_endian(std::string& out, std::uint64_t number, int bytes)
{
    while (bytes-- > 0) out += static_cast<char>(number >> (8 * bytes) & 0xff);
}

}  // namespace

bool is_websocket_code(std::uint16_t code) noexcept
{
    if (code >= 3000) return code < 5000;  // of libraries and applications
    // 1004 to 1006 and 1015 have a meaning only where nothing is sent.
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014);
}

void append_websocket_frame(std::string& out, websocket_opcode what, std::string_view payload)
{
    BOOST_ASSERT(!is_control(what) || payload.size() <= websocket_control_bytes_max);
    out += static_cast<char>(0x80 | static_cast<unsigned>(what));
    if (payload.size() <= 125) {
        out += static_cast<char>(payload.size());
    } else if (payload.size() <= 0xffff) {
        out += static_cast<char>(126);
        append_big_endian(out, payload.size(), 2);
    } else {
        out += static_cast<char>(127);
        append_big_endian(out, payload.size(), 8);
    }
    out.append(payload);
}

void append_websocket_close(std::string& out, std::uint16_t code, std::string_view reason)
{
    std::string payload;
    if (is_websocket_code(code)) {
        append_big_endian(payload, code, 2);
        payload.append(truncated_utf8(reason, websocket_control_bytes_max - 2));
    }
    append_websocket_frame(out, websocket_opcode::close, payload);
}

}  // namespace weft::net_detail
