#include "notice_queue.hpp"

#include "notice_text.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace weft::postgres_detail {

namespace {

constexpr std::size_t queued_max = 4 * notices_a_payload;

}  // namespace

void notice_queue::push(const store_notice& notice)
{
    bool is_first = false;
    {
        const std::lock_guard lock{lock_};
        const bool is_known = std::any_of(notices_.begin(), notices_.end(), [&](const store_notice& each) {
            return each == notice || each.what == store_notice::kind::anything;
        });
        if (is_known) return;
        is_first = notices_.empty();
        // More than anybody reads one by one.
        if (notices_.size() >= queued_max) notices_.assign(1, store_notice{});
        else notices_.push_back(notice);
    }
    if (is_first) queued_->notify();
}

void notice_queue::push_echo()
{
    {
        const std::lock_guard lock{lock_};
        wants_echo_ = true;
    }
    queued_->notify();
}

task<void> notice_queue::wait() { co_await queued_->wait(); }

std::vector<std::string> notice_queue::take()
{
    std::vector<store_notice> notices;
    bool wants_echo = false;
    {
        const std::lock_guard lock{lock_};
        notices = std::exchange(notices_, {});
        wants_echo = std::exchange(wants_echo_, false);
        is_under_way_ = !notices.empty() || wants_echo;
    }
    std::vector<std::string> payloads;
    for (std::span<const store_notice> left = notices; !left.empty();) {
        const std::size_t count = std::min(left.size(), notices_a_payload);
        payloads.push_back(write_notices(origin_, left.first(count)));
        left = left.subspan(count);
    }
    if (payloads.empty() && wants_echo) payloads.push_back(write_notices(origin_, {}));
    return payloads;
}

void notice_queue::sent()
{
    const std::lock_guard lock{lock_};
    is_under_way_ = false;
    if (notices_.empty()) idle_.notify_all();
}

std::string notice_queue::pass_by(const store_notice& notice, time_point now)
{
    {
        const std::lock_guard lock{lock_};
        if (is_under_way_ || !notices_.empty() || now - passed_at_ < send_pause) return {};
        passed_at_ = now;
    }
    return write_notices(origin_, std::span{&notice, 1});
}

void notice_queue::drain(std::chrono::milliseconds at_most)
{
    std::unique_lock lock{lock_};
    idle_.wait_for(lock, at_most, [this] { return notices_.empty() && !is_under_way_; });
}

}  // namespace weft::postgres_detail
