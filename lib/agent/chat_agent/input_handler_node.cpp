#include "agent_definition.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/graph/node_context.hpp>

#include <chrono>
#include <utility>

namespace weft::agent_detail {

namespace {

std::chrono::milliseconds since_epoch(const node_context& node)
{
    const auto now = node.loop().clock().system_now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now);
}

/** Looks at what the user says, and adds what is left of it to the conversation. */
void take_input(node_context& node, const input_guard_limits& limits, conversation& history, input_diagnostics& into)
{
    const std::string* const said = node.find(agent_keys::input);
    if (!said || said->empty()) return;
    message_times times = node.value_or(agent_keys::input_times, {});
    inspected_input input = inspect_input(*said, times, since_epoch(node), limits);
    into.sanitized = input.found.was_changed || input.found.was_cut;
    into.rate_limited = input.found.rate != rate_sign::none;
    into.rate_limit_reason = input.found.rate;
    into.spam_detected = input.found.spam != spam_sign::none;
    into.spam_reason = input.found.spam;
    into.injection_detected = !input.found.injections.empty();
    into.injections = std::move(input.found.injections);
    node.set(agent_keys::input_times, std::move(times));
    if (!input.text.empty()) {
        const provenance from = provenance_at(node, message_author::person);
        node.set(agent_keys::conversation, history.add(message::user(std::move(input.text)), from));
    }
    node.set(agent_keys::input, std::string{});
}

}  // namespace

provenance provenance_at(const node_context& node, message_author author)
{
    provenance from;
    from.node = node.node();
    from.visit = node.visit();
    from.run = node.thread();
    from.at = std::chrono::floor<std::chrono::milliseconds>(node.loop().clock().system_now());
    from.author = author;
    return from;
}

void handle_input(const agent_definition& agent, node_context& node)
{
    conversation history = node.value_or(agent_keys::conversation, {});
    input_diagnostics found;
    take_input(node, agent.options.guard, history, found);
    const token_estimator estimator = node.value_or(agent_keys::estimator, {});
    auto view = std::make_shared<const conversation_view>(view_of(history, agent.view_for(estimator)));
    if (const conversation::lane* const main = history.find_lane("")) {
        found.summary_triggered = main->messages > agent.options.summaries.messages_max;
        found.tokens_before = estimator.corrected(main->estimate).count();
    }
    found.tokens_after = view->estimated.count();
    found.messages_evicted = static_cast<std::int64_t>(view->left_out);
    node.set(agent_keys::diagnostics, std::move(found));
    node.set(agent_keys::status, agent_status{});
    node.set(agent_keys::last_view, std::move(view));
}

}  // namespace weft::agent_detail
