#include "mailbox_box.hpp"

#include <weft/base/json/json_text.hpp>

#include <utility>

namespace weft {

agent_mailbox::agent_mailbox(mailbox_limits limits) : limits_{limits} {}

agent_mailbox::~agent_mailbox() = default;

std::string text_of(const mailbox_message& message)
{
    return message.author == message_author::person ? message.text : "[External event]: " + message.text;
}

std::string text_of(const std::vector<mailbox_trigger>& triggers)
{
    std::string text;
    for (const mailbox_trigger& one : triggers) {
        text.append(text.empty() ? "" : "\n\n").append("[TRIGGER: ").append(one.type).append("/").append(one.source);
        text.append("]");
        if (!one.payload.is_null()) text.append("\n").append(to_json_text(one.payload, json_spacing::written));
    }
    return text;
}

agent_mailbox::boxes::iterator agent_mailbox::find_or_add(std::string_view address)
{
    const auto found = boxes_.find(address);
    return found != boxes_.end() ? found : boxes_.emplace(address, std::make_unique<box>()).first;
}

bool agent_mailbox::add(std::string_view address, item what)
{
    const std::size_t size = box::bytes_of(what);
    const std::scoped_lock held{lock_};
    const auto found = boxes_.find(address);
    if (found == boxes_.end() && boxes_.size() >= limits_.addresses_max) return false;
    const std::size_t items = found == boxes_.end() ? 0 : found->second->items.size();
    const std::size_t bytes = found == boxes_.end() ? 0 : found->second->bytes;
    if (items >= limits_.items_max || bytes > limits_.bytes_max || size > limits_.bytes_max - bytes) return false;
    box& to = *find_or_add(address)->second;
    to.bytes += size;
    to.items.push_back(std::move(what));
    return true;
}

bool agent_mailbox::post(std::string_view address, std::string text, message_author author)
{
    return add(address, mailbox_message{std::move(text), author});
}

bool agent_mailbox::trigger(std::string_view address, mailbox_trigger what) { return add(address, std::move(what)); }

bool agent_mailbox::abort(std::string_view address)
{
    std::stop_source stop{std::nostopstate};
    {
        const std::scoped_lock held{lock_};
        if (boxes_.find(address) == boxes_.end() && boxes_.size() >= limits_.addresses_max) return false;
        stop = find_or_add(address)->second->stop;
    }
    stop.request_stop();  // calls back: without the lock
    return true;
}

std::size_t agent_mailbox::waiting(std::string_view address) const
{
    const std::scoped_lock held{lock_};
    const auto found = boxes_.find(address);
    return found == boxes_.end() ? 0 : found->second->items.size();
}

mailbox_content agent_mailbox::take(std::string_view address)
{
    mailbox_content content;
    const std::scoped_lock held{lock_};
    const auto found = boxes_.find(address);
    if (found == boxes_.end()) return content;
    for (const item& one : found->second->items)
        if (const auto* const said = std::get_if<mailbox_message>(&one)) content.messages.push_back(*said);
        else content.triggers.push_back(std::get<mailbox_trigger>(one));
    // They stay until `confirm`: a node that is tried again takes the same ones.
    found->second->taken = found->second->items.size();
    return content;
}

void agent_mailbox::confirm(std::string_view address)
{
    const std::scoped_lock held{lock_};
    const auto found = boxes_.find(address);
    if (found == boxes_.end()) return;
    while (found->second->taken > 0) found->second->drop_first();
    if (found->second->is_idle()) boxes_.erase(found);
}

bool mailbox_content::empty() const noexcept { return messages.empty() && triggers.empty(); }

}  // namespace weft
