#include <weft/agent/event_loop/event_mailbox.hpp>

#include <weft/base/json/json_text.hpp>

#include <iterator>
#include <utility>

namespace weft {

namespace {

template <class T>
void move_to_end(std::vector<T>& into, std::vector<T>& from)
{
    into.insert(into.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    from.clear();
}

}  // namespace

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

event_mailbox::box* event_mailbox::room_for(std::string_view thread, std::size_t bytes)
{
    auto found = boxes_.find(thread);
    if (found == boxes_.end()) {
        if (boxes_.size() >= limits_.threads_max || limits_.items_max == 0 || bytes > limits_.bytes_max) return nullptr;
        found = boxes_.emplace(std::string{thread}, box{}).first;
    }
    box& of = found->second;
    const std::size_t items = of.fresh.messages.size() + of.fresh.triggers.size() + of.taken.messages.size() +
                              of.taken.triggers.size();
    if (items >= limits_.items_max || bytes > limits_.bytes_max - of.bytes) return nullptr;
    of.bytes += bytes;
    return &of;
}

bool event_mailbox::say(std::string_view thread, std::string text, message_author author)
{
    const std::lock_guard lock{mutex_};
    box* const of = room_for(thread, text.size());
    if (!of) return false;
    of->fresh.messages.push_back({std::move(text), author});
    return true;
}

bool event_mailbox::trigger(std::string_view thread, mailbox_trigger what)
{
    const std::size_t bytes = what.type.size() + what.source.size() + to_json_text(what.payload).size();
    const std::lock_guard lock{mutex_};
    box* const of = room_for(thread, bytes);
    if (!of) return false;
    of->fresh.triggers.push_back(std::move(what));
    return true;
}

mailbox_content event_mailbox::take(std::string_view thread)
{
    const std::lock_guard lock{mutex_};
    const auto found = boxes_.find(thread);
    if (found == boxes_.end()) return {};
    box& of = found->second;
    move_to_end(of.taken.messages, of.fresh.messages);
    move_to_end(of.taken.triggers, of.fresh.triggers);
    return of.taken;
}

void event_mailbox::confirm(std::string_view thread)
{
    const std::lock_guard lock{mutex_};
    const auto found = boxes_.find(thread);
    if (found == boxes_.end() || found->second.taken.empty()) return;
    box& of = found->second;
    if (of.fresh.empty()) {
        boxes_.erase(found);
        return;
    }
    for (const mailbox_message& one : of.taken.messages) of.bytes -= one.text.size();
    for (const mailbox_trigger& one : of.taken.triggers)
        of.bytes -= one.type.size() + one.source.size() + to_json_text(one.payload).size();
    of.taken = {};
}

std::size_t event_mailbox::waiting(std::string_view thread) const
{
    const std::lock_guard lock{mutex_};
    const auto found = boxes_.find(thread);
    return found == boxes_.end() ? 0 : found->second.fresh.messages.size() + found->second.fresh.triggers.size();
}

}  // namespace weft
