#pragma once

#include <weft/base/clock.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <string_view>

namespace weft::net_detail {

/** The date of a header, made once a second: `Sun, 06 Nov 1994 08:49:37 GMT`.
 *
 *  @par Source   RFC 9110 §5.6.7.
 */
class http_date {
public:
    [[nodiscard]] std::string_view text(clock::system_time_point now)
    {
        const std::time_t second = std::chrono::system_clock::to_time_t(now);
        if (second != second_ || size_ == 0) make(second);
        return {text_.data(), size_};
    }

private:
    void make(std::time_t second);

    std::array<char, 32> text_{};
    std::size_t size_ = 0;
    std::time_t second_ = 0;
};

}  // namespace weft::net_detail
