#include "content_watch.hpp"

#include <weft/base/errc.hpp>

#include <algorithm>
#include <string>

namespace weft::model_detail {

namespace {

std::string milliseconds_text(std::chrono::nanoseconds span)
{
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(span).count()) + " ms";
}

}  // namespace

std::chrono::nanoseconds content_watch::left(time_point now) const noexcept
{
    const std::chrono::nanoseconds limit = has_begun_ ? waits_.gap_max : waits_.first_max;
    return std::max(limit - std::chrono::nanoseconds{now - last_}, std::chrono::nanoseconds{0});
}

void content_watch::fed(time_point now) noexcept
{
    if (!has_news_) return;
    has_news_ = false;
    has_begun_ = true;
    last_ = now;
}

error content_watch::expired() const
{
    if (has_begun_)
        return error{errc::gap_timeout, {},
                     "no further piece of the answer came within " + milliseconds_text(waits_.gap_max) +
                         ", which token_gap_max allows; signs of life do not count"};
    return error{errc::first_byte_timeout, {},
                 "nothing of the answer came within " + milliseconds_text(waits_.first_max) +
                     ", which first_token_max allows; signs of life do not count"};
}

}  // namespace weft::model_detail
