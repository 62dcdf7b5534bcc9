#include "websocket_parser.hpp"

#include <weft/base/utf8.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace weft::net_detail {

namespace {

std::uint64_t big_endian(std::string_view bytes) noexcept
{
    std::uint64_t number = 0;
    for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
    return number;
}

/** Takes the mask off. @param masked  How many bytes of the frame went before. */
void unmask(char* bytes, std::size_t size, const std::array<char, 4>& mask, std::size_t masked) noexcept
{
    std::array<char, 8> key;
    for (std::size_t i = 0; i < key.size(); ++i) key[i] = mask[(masked + i) % mask.size()];
    std::size_t at = 0;
    // Eight at a time: a message of a megabyte is worth it.
    for (; at + key.size() <= size; at += key.size()) {
        std::uint64_t part;
        std::uint64_t key_bytes;
        std::memcpy(&part, bytes + at, sizeof part);
        std::memcpy(&key_bytes, key.data(), sizeof key_bytes);
        part ^= key_bytes;
        std::memcpy(bytes + at, &part, sizeof part);
    }
    for (; at < size; ++at) bytes[at] = static_cast<char>(bytes[at] ^ key[at % key.size()]);
}

}  // namespace

websocket_parser::result websocket_parser::parse(char* bytes, std::size_t size)
{
    BOOST_ASSERT(!is_over_);
    result done{0, {}};
    for (;;) {
        if (!is_in_frame_) {
            const std::size_t taken = take_head({bytes + done.consumed, size - done.consumed}, done.event);
            done.consumed += taken;
            if (taken == 0) return done;
        }
        done.consumed += take_payload(bytes + done.consumed, size - done.consumed);
        if (missing_ > 0) return done;
        is_in_frame_ = false;
        done.event = end_frame();
        if (done.event.what != websocket_event::kind::nothing) return done;
    }
}

/** Looks at the first two bytes of a frame. @return  False if they are wrong. */
bool websocket_parser::check_start(unsigned first, unsigned second, websocket_event& event)
{
    using enum websocket_opcode;
    const auto code = static_cast<websocket_opcode>(first & 0x0f);
    const bool is_known = code <= binary || (is_control(code) && code <= pong);
    const bool is_final = (first & 0x80) != 0;
    std::string_view wrong;
    if ((first & 0x70) != 0)
        wrong = "a reserved bit is set, and no extension was agreed on";
    else if (!is_known)
        wrong = "there is no frame of this opcode";
    else if ((second & 0x80) == 0)
        wrong = "frames of clients must be masked";
    else if (is_control(code) && (!is_final || (second & 0x7f) > websocket_control_bytes_max))
        wrong = "a close, ping or pong must be one frame of at most 125 bytes";
    else if (code == continuation && !is_in_message_)
        wrong = "a frame continues a message, and none has begun";
    else if ((code == text || code == binary) && is_in_message_)
        wrong = "a message begins before the one before it has ended";
    if (!wrong.empty())
        event = fail(websocket_code::protocol_error, wrong);
    else if (code == binary)
        event = fail(websocket_code::not_accepted, "messages must be text");
    return !has_failed_;
}

/** @return  The bytes of the frame's head; 0 if it is not whole yet, or wrong. */
std::size_t websocket_parser::take_head(std::string_view bytes, websocket_event& event)
{
    if (bytes.size() < 2) return 0;
    const auto first = static_cast<unsigned char>(bytes[0]);
    const auto second = static_cast<unsigned char>(bytes[1]);
    if (!check_start(first, second, event)) return 0;
    const std::size_t said = second & 0x7fu;
    const std::size_t length_bytes = said == 127 ? 8 : said == 126 ? 2 : 0;
    const std::size_t head_bytes = 2 + length_bytes + mask_.size();
    if (bytes.size() < head_bytes) return 0;
    const std::uint64_t length = length_bytes == 0 ? said : big_endian(bytes.substr(2, length_bytes));
    const bool is_shortest = length_bytes == 0 || (length_bytes == 2 ? length > 125 : length > 0xffff);
    if (!is_shortest || length >> 63 != 0) {
        event = fail(websocket_code::protocol_error, "the length of a frame is not written in the shortest way");
        return 0;
    }
    opcode_ = static_cast<websocket_opcode>(first & 0x0f);
    if (!is_control(opcode_) && length > message_bytes_max_ - message_.size()) {
        event = fail(websocket_code::too_large,
                     "a message is larger than " + std::to_string(message_bytes_max_) + " bytes");
        return 0;
    }
    is_final_ = (first & 0x80) != 0;
    bytes.copy(mask_.data(), mask_.size(), head_bytes - mask_.size());
    missing_ = length;
    masked_ = 0;
    is_in_frame_ = true;
    control_.clear();
    return head_bytes;
}

std::size_t websocket_parser::take_payload(char* bytes, std::size_t size)
{
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(size, missing_));
    unmask(bytes, taken, mask_, masked_);
    (is_control(opcode_) ? control_ : message_).append(bytes, taken);
    masked_ += taken;
    missing_ -= taken;
    return taken;
}

websocket_event websocket_parser::end_frame()
{
    switch (opcode_) {
    case websocket_opcode::ping: return {websocket_event::kind::ping, 0, std::move(control_)};
    case websocket_opcode::pong: return {websocket_event::kind::pong, 0, std::move(control_)};
    case websocket_opcode::close: return end_connection();
    default: break;
    }
    is_in_message_ = !is_final_;
    return is_in_message_ ? websocket_event{} : end_message();
}

websocket_event websocket_parser::end_message()
{
    std::string whole = std::exchange(message_, {});
    if (!is_valid_utf8(whole)) return fail(websocket_code::invalid_text, "a message is not UTF-8");
    return {websocket_event::kind::text, 0, std::move(whole)};
}

websocket_event websocket_parser::end_connection()
{
    if (control_.empty()) {
        is_over_ = true;
        return {websocket_event::kind::close, websocket_code::none, {}};
    }
    const auto code = static_cast<std::uint16_t>(big_endian(std::string_view{control_}.substr(0, 2)));
    if (control_.size() < 2 || !is_websocket_code(code))
        return fail(websocket_code::protocol_error, "the code of a close has no meaning");
    std::string reason = control_.substr(2);
    if (!is_valid_utf8(reason)) return fail(websocket_code::invalid_text, "the reason of a close is not UTF-8");
    is_over_ = true;
    return {websocket_event::kind::close, code, std::move(reason)};
}

websocket_event websocket_parser::fail(std::uint16_t code, std::string_view what)
{
    is_over_ = has_failed_ = true;
    return {websocket_event::kind::failure, code, std::string{what}};
}

}  // namespace weft::net_detail
