#include <weft/agent/react/handoff.hpp>

#include "agent/text/names.hpp"

#include <weft/graph/node_context.hpp>
#include <weft/tool/call/messages_key.hpp>

#include <boost/json/object.hpp>

#include <memory>
#include <utility>

namespace weft {

namespace {

/** Moves the conversation to one other agent. */
class transfer_tool final : public tool {
public:
    transfer_tool(handoff_target target, handoff_limits limits)
        : target_{std::move(target)}, limits_{std::move(limits)}
    {
    }

    tool_spec spec() const override
    {
        tool_spec about{std::string{handoff_prefix} + target_.to, target_.when};
        if (about.description.empty()) about.description = "Hands the conversation over to " + target_.to + ".";
        about.parameters = boost::json::object{{"type", "object"}, {"properties", boost::json::object{}}};
        return about;
    }
    tool_traits traits() const override
    {
        tool_traits about;
        about.hands_over = true;
        about.is_idempotent = true;
        about.is_parallel = false;
        return about;
    }
    task<tool_result> call(tool_invocation invocation) override { return answer(this, std::move(invocation)); }

private:
    static task<tool_result> answer(const transfer_tool* self, tool_invocation invocation)
    {
        if (node_context* const node = invocation.context.node) {
            const list<message> said = messages_key{*node, self->limits_.messages}.read();
            // A refusal is an error result, so that it does not count as a handoff the next time.
            if (count_handoffs(said) >= self->limits_.count_max)
                co_return tool_result::error("Not handed over: that was done " +
                                             std::to_string(self->limits_.count_max) +
                                             " times for this request already. Answer the user yourself.");
        }
        tool_result result = tool_result::text("The conversation is with " + self->target_.to + " now.");
        result.update.set(react_next, self->target_.to);
        result.go_to = self->limits_.exit;
        co_return result;
    }

    handoff_target target_;
    handoff_limits limits_;
};

}  // namespace

std::size_t count_handoffs(const list<message>& conversation)
{
    std::vector<std::string> done;  // ids of calls that have a good answer
    std::size_t count = 0;
    for (std::size_t i = conversation.size(); i-- > 0;) {
        const message& one = conversation[i];
        if (one.role == role::user) break;
        if (one.role == role::tool && !one.is_error) done.push_back(one.tool_call_id);
        for (const tool_call& call : one.tool_calls)
            if (call.name.starts_with(handoff_prefix) && agent_detail::contains(done, call.id))
                ++count;
        if (one.role == role::assistant) done.clear();  // ids need be unique in one message only
    }
    return count;
}

void add_handoffs(tool_set& to, const std::vector<handoff_target>& targets, const handoff_limits& limits)
{
    for (const handoff_target& target : targets) to.add(std::make_shared<transfer_tool>(target, limits));
}

}  // namespace weft
