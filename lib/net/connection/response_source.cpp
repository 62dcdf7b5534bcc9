#include "response_source.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/base/error.hpp>

#include <algorithm>

namespace weft::net_detail {

task<std::string> response_source::read_all(std::size_t bytes_max)
{
    std::string text;
    for (;;) {
        const std::string_view piece = co_await read_some();
        if (piece.empty()) co_return text;
        if (piece.size() > bytes_max - text.size()) {
            close();
            throw error{errc::response_too_large, endpoint(),
                        "the body has more than the " + std::to_string(bytes_max) + " bytes that are expected here"};
        }
        text.append(piece);
    }
}

task<std::string> response_source::read_at_most(std::size_t bytes_max)
{
    std::string text;
    while (text.size() < bytes_max) {
        const std::string_view piece = co_await read_some();
        if (piece.empty()) break;
        const std::size_t taken = std::min(piece.size(), bytes_max - text.size());
        text.append(piece.substr(0, taken));
        body_ = piece.substr(taken);
    }
    co_return text;
}

task<bool> response_source::drain(std::size_t bytes_max, std::chrono::nanoseconds time_max)
{
    serial_loop& loop = co_await this_task::loop();
    const time_point deadline = loop.now() + time_max;
    std::size_t dropped = 0;
    try {
        while (!is_over() && is_open() && dropped <= bytes_max) {
            limit_gap(deadline - loop.now());
            const std::string_view piece = co_await read_some();
            dropped += piece.size();
        }
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
    }
    close();
    co_return is_over();
}

}  // namespace weft::net_detail
