// Fuzzes the parser of WebSocket frames: however the bytes of a client are cut, the same events come out, in bounded
// memory, and nothing after the end.

#include "net/server/websocket_parser.hpp"

#include <weft/base/utf8.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <string_view>

namespace {

using weft::net_detail::websocket_event;
using weft::net_detail::websocket_parser;

constexpr std::size_t message_bytes_max = 200;

void require(bool holds)
{
    if (!holds) std::abort();
}

/** Each byte below 0xc0 stands for the head of a frame, or for a payload, which random bytes hardly hit; the others for
 *  their low bits. */
std::string frames_in(const std::uint8_t* data, std::size_t size)
{
    std::string frames;
    for (const std::uint8_t* byte = data; byte != data + size; ++byte) {
        if (*byte >= 0xc0) {
            frames += static_cast<char>(*byte & 0x3f);
            continue;
        }
        const unsigned opcode = *byte & 0x0f;
        const unsigned length = static_cast<unsigned>(*byte) >> 4;  // up to 11
        frames += static_cast<char>((length % 2 == 0 ? 0x80 : 0) | opcode);
        frames += static_cast<char>(0x80 | length);
        for (unsigned i = 0; i < 4 + length; ++i) frames += static_cast<char>(i < 4 ? i : 'a' ^ (i % 4));
    }
    return frames;
}

std::string events_of(std::string_view input, const std::function<std::size_t()>& next_size)
{
    websocket_parser parser{message_bytes_max};
    std::string log;
    std::string buffer;
    while (!input.empty() && !parser.is_over()) {
        const std::size_t size = std::min(next_size(), input.size());
        buffer.append(input.substr(0, size));
        input.remove_prefix(size);
        for (bool goes_on = true; goes_on && !parser.is_over();) {
            const websocket_parser::result step = parser.parse(buffer.data(), buffer.size());
            require(step.consumed <= buffer.size());
            buffer.erase(0, step.consumed);
            const websocket_event& event = step.event;
            goes_on = event.what != websocket_event::kind::nothing;
            require(event.bytes.size() <= message_bytes_max);
            if (event.what == websocket_event::kind::text || event.what == websocket_event::kind::close)
                require(weft::is_valid_utf8(event.bytes));
            if (event.what == websocket_event::kind::failure) require(weft::net_detail::is_websocket_code(event.code));
            if (goes_on)
                log += std::to_string(static_cast<int>(event.what)) + ' ' + std::to_string(event.code) + ' ' +
                       event.bytes + '\n';
        }
        require(parser.is_over() || buffer.size() < 14);  // a head at most
    }
    return log;
}

void check_every_cut(std::string_view input)
{
    const std::string whole = events_of(input, [&] { return input.size(); });
    std::minstd_rand random{static_cast<unsigned>(input.size()) + 1};
    require(events_of(input, [] { return std::size_t{1}; }) == whole);
    require(events_of(input, [&] { return std::size_t{1 + random() % 9}; }) == whole);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    check_every_cut({reinterpret_cast<const char*>(data), size});
    check_every_cut(frames_in(data, size));
    return 0;
}
