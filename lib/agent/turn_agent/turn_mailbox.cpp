#include <weft/agent/turn_agent/turn_mailbox.hpp>

#include <utility>

namespace weft {

void turn_mailbox::box::number_from(std::int64_t after)
{
    if (!first) first = after + 1;
}

turn_mailbox::boxes::iterator turn_mailbox::find_or_add(std::string_view address)
{
    const auto found = boxes_.find(address);
    return found != boxes_.end() ? found : boxes_.try_emplace(std::string{address}).first;
}

bool turn_mailbox::post(std::string_view address, std::string text)
{
    const std::scoped_lock held{lock_};
    const auto found = boxes_.find(address);
    if (found == boxes_.end() && boxes_.size() >= most_.addresses_max) return false;
    const std::size_t messages = found == boxes_.end() ? 0 : found->second.messages.size();
    const std::size_t bytes = found == boxes_.end() ? 0 : found->second.bytes;
    if (messages >= most_.messages_max || bytes > most_.bytes_max || text.size() > most_.bytes_max - bytes)
        return false;
    box& to = find_or_add(address)->second;
    to.bytes += text.size();
    to.messages.push_back(std::move(text));
    return true;
}

bool turn_mailbox::abort(std::string_view address)
{
    std::stop_source stop{std::nostopstate};
    {
        const std::scoped_lock held{lock_};
        if (boxes_.find(address) == boxes_.end() && boxes_.size() >= most_.addresses_max) return false;
        stop = find_or_add(address)->second.stop;
    }
    stop.request_stop();  // calls back: without the lock
    return true;
}

std::size_t turn_mailbox::waiting(std::string_view address) const
{
    const std::scoped_lock held{lock_};
    const auto found = boxes_.find(address);
    return found == boxes_.end() ? 0 : found->second.messages.size();
}

turn_inbox::turn_inbox(std::shared_ptr<turn_mailbox> mailbox, std::string_view address) : mailbox_{std::move(mailbox)}
{
    if (!mailbox_) return;
    const std::scoped_lock held{mailbox_->lock_};
    at_ = mailbox_->find_or_add(address);  // bounded by the nodes at work
    ++at_->second.readers;
    token_ = at_->second.stop.get_token();
}

turn_inbox::~turn_inbox()
{
    if (!mailbox_) return;
    const std::scoped_lock held{mailbox_->lock_};
    --at_->second.readers;
    if (at_->second.is_idle()) mailbox_->boxes_.erase(at_);
}

std::vector<turn_inbox::letter> turn_inbox::read(std::int64_t after)
{
    std::vector<letter> letters;
    if (!mailbox_) return letters;
    const std::scoped_lock held{mailbox_->lock_};
    turn_mailbox::box& from = at_->second;
    from.number_from(after);
    std::int64_t number = *from.first;
    for (const std::string& text : from.messages) {
        if (number > after) letters.push_back({number, text});
        ++number;
    }
    return letters;
}

bool turn_inbox::has_more(std::int64_t after)
{
    if (!mailbox_) return false;
    const std::scoped_lock held{mailbox_->lock_};
    turn_mailbox::box& from = at_->second;
    from.number_from(after);
    return *from.first + static_cast<std::int64_t>(from.messages.size()) - 1 > after;
}

void turn_inbox::settle(std::int64_t through)
{
    if (!mailbox_) return;
    const std::scoped_lock held{mailbox_->lock_};
    turn_mailbox::box& from = at_->second;
    from.number_from(through);
    while (!from.messages.empty() && *from.first <= through) {
        from.bytes -= from.messages.front().size();
        from.messages.pop_front();
        ++*from.first;
    }
}

void turn_inbox::finish(std::int64_t through)
{
    if (!mailbox_) return;
    settle(through);
    const std::scoped_lock held{mailbox_->lock_};
    at_->second.stop = std::stop_source{};
}

}  // namespace weft
