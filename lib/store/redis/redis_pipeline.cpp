#include "redis_pipeline.hpp"

#include <utility>

namespace weft::redis_detail {

redis_pipeline::ticket redis_pipeline::push(std::string command, pipeline_caller& caller)
{
    if (pending() >= commands_max_)
        throw error{errc::limit_reached, "Redis", std::to_string(commands_max_) + " commands wait (pending_max)"};
    if (command.size() > bytes_max_ - unsent_bytes_)
        throw error{errc::limit_reached, "Redis",
                    "more than " + std::to_string(bytes_max_) + " bytes wait to be sent (pending_bytes_max)"};
    unsent_bytes_ += command.size();
    return unsent_.insert(unsent_.end(), entry{std::move(command), &caller, false});
}

void redis_pipeline::abandon(ticket command) noexcept
{
    command->caller = nullptr;
    if (command->is_sent) return;
    unsent_bytes_ -= command->command.size();
    unsent_.erase(command);
}

void redis_pipeline::take_batch(std::string& text, std::size_t bytes_max)
{
    while (!unsent_.empty()) {
        entry& next = unsent_.front();
        if (!text.empty() && text.size() + next.command.size() > bytes_max) return;
        text.append(next.command);
        unsent_bytes_ -= next.command.size();
        next.command = std::string{};
        next.is_sent = true;
        sent_.splice(sent_.end(), unsent_, unsent_.begin());
    }
}

bool redis_pipeline::settle(redis_value reply)
{
    if (sent_.empty()) return false;
    pipeline_caller* const caller = sent_.front().caller;
    sent_.pop_front();
    if (caller) caller->on_reply(std::move(reply));
    return true;
}

void redis_pipeline::lose_sent(const error& why)
{
    while (!sent_.empty()) {
        pipeline_caller* const caller = sent_.front().caller;
        sent_.pop_front();
        if (caller) caller->on_lost(why, true);
    }
}

void redis_pipeline::fail_unsent(const error& why)
{
    while (!unsent_.empty()) {
        pipeline_caller* const caller = unsent_.front().caller;
        unsent_bytes_ -= unsent_.front().command.size();
        unsent_.pop_front();
        caller->on_lost(why, false);
    }
}

}  // namespace weft::redis_detail
