#include "mailbox_box.hpp"

#include <weft/base/json/json_text.hpp>

#include <variant>

namespace weft {

namespace {

std::size_t bytes_in(const mailbox_message& message) { return message.text.size(); }

// As long as it is in a prompt: what a limit of bytes is for.
std::size_t bytes_in(const mailbox_trigger& trigger)
{
    return trigger.type.size() + trigger.source.size() + to_json_text(trigger.payload).size();
}

}  // namespace

std::size_t agent_mailbox::box::bytes_of(const item& what)
{
    return std::visit([](const auto& one) { return bytes_in(one); }, what);
}

bool agent_mailbox::box::is_idle() const noexcept { return readers == 0 && items.empty() && !stop.stop_requested(); }

void agent_mailbox::box::number_from(std::int64_t after)
{
    if (!first) first = after + 1;
}

void agent_mailbox::box::drop_first()
{
    bytes -= bytes_of(items.front());
    items.pop_front();
    if (first) ++*first;
    if (taken > 0) --taken;
}

}  // namespace weft
