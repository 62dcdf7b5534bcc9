#include "agent_inbox.hpp"

#include "mailbox_box.hpp"

#include <utility>
#include <variant>

namespace weft {

namespace {

std::string plain_text_of(const mailbox_message& message) { return message.text; }

std::string plain_text_of(const mailbox_trigger& trigger) { return text_of(std::vector{trigger}); }

}  // namespace

agent_inbox::agent_inbox(std::shared_ptr<agent_mailbox> mailbox, std::string_view address)
    : mailbox_{std::move(mailbox)}
{
    if (!mailbox_) return;
    const std::scoped_lock held{mailbox_->lock_};
    at_ = mailbox_->find_or_add(address);  // bounded by the nodes at work
    ++at_->second->readers;
    token_ = at_->second->stop.get_token();
}

agent_inbox::~agent_inbox()
{
    if (!mailbox_) return;
    const std::scoped_lock held{mailbox_->lock_};
    --at_->second->readers;
    if (at_->second->is_idle()) mailbox_->boxes_.erase(at_);
}

std::vector<agent_inbox::letter> agent_inbox::read(std::int64_t after)
{
    std::vector<letter> letters;
    if (!mailbox_) return letters;
    const std::scoped_lock held{mailbox_->lock_};
    agent_mailbox::box& from = *at_->second;
    from.number_from(after);
    std::int64_t number = *from.first;
    for (const agent_mailbox::item& one : from.items) {
        if (number > after)
            letters.push_back({number, std::visit([](const auto& what) { return plain_text_of(what); }, one)});
        ++number;
    }
    return letters;
}

bool agent_inbox::has_more(std::int64_t after)
{
    if (!mailbox_) return false;
    const std::scoped_lock held{mailbox_->lock_};
    agent_mailbox::box& from = *at_->second;
    from.number_from(after);
    return *from.first + static_cast<std::int64_t>(from.items.size()) - 1 > after;
}

void agent_inbox::settle(std::int64_t through)
{
    if (!mailbox_) return;
    const std::scoped_lock held{mailbox_->lock_};
    agent_mailbox::box& from = *at_->second;
    from.number_from(through);
    while (!from.items.empty() && *from.first <= through) from.drop_first();
}

void agent_inbox::finish(std::int64_t through)
{
    if (!mailbox_) return;
    settle(through);
    const std::scoped_lock held{mailbox_->lock_};
    at_->second->stop = std::stop_source{};
}

}  // namespace weft
