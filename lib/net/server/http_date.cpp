#include "http_date.hpp"

#include <cstdio>

namespace weft::net_detail {

void http_date::make(std::time_t second)
{
    // Not strftime: its names of days and months are those of the process's locale.
    static constexpr const char* days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                             "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    std::tm at{};
    ::gmtime_r(&second, &at);
    const int size = std::snprintf(text_.data(), text_.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT", days[at.tm_wday],
                                   at.tm_mday, months[at.tm_mon], at.tm_year + 1900, at.tm_hour, at.tm_min, at.tm_sec);
    size_ = size > 0 && static_cast<std::size_t>(size) < text_.size() ? static_cast<std::size_t>(size) : 0;
    second_ = second;
}

}  // namespace weft::net_detail
