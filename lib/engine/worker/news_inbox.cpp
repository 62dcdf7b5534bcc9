#include "news_inbox.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace weft {

namespace {

/** Of more, no notice says anything that a look does not. */
constexpr std::size_t inbox_notices_max = 256;

}  // namespace

void news_inbox::add(const store_notice& notice)
{
    bool is_first = false;
    {
        const std::lock_guard lock{lock_};
        is_first = notices_.empty();
        const bool is_known = std::any_of(notices_.begin(), notices_.end(), [&](const store_notice& each) {
            return each == notice || each.what == store_notice::kind::anything;
        });
        if (is_known) return;
        if (notices_.size() < inbox_notices_max) notices_.push_back(notice);
        else notices_.assign(1, store_notice{});
    }
    if (is_first) arrived_->notify();
}

task<void> news_inbox::wait() { co_await arrived_->wait(); }

std::vector<store_notice> news_inbox::take()
{
    const std::lock_guard lock{lock_};
    return std::exchange(notices_, {});
}

}  // namespace weft
