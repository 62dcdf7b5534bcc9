#include <weft/agent/react_kind.hpp>

#include "answer_shape.hpp"
#include "kind_checks.hpp"

#include <weft/base/error.hpp>
#include <weft/tool/messages_key.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace weft {

namespace {

void check_react_messages(node_request& request, const react_settings& settings)
{
    const std::string& key = settings.messages;
    if (request.layout().find(key) == state_layout::none) return request.require_readable("messages", key);
    if (const std::string fault = messages_key::fault_of(request.layout(), key); !fault.empty())
        request.mistake("messages", fault);
    const auto& writes = request.spec().writes;
    if (!writes || std::find(writes->begin(), writes->end(), key) == writes->end())
        request.mistake("messages", "the node's writes do not name '" + key + "': add it there");
}

/** The keys that the answer is for: `writes` without the conversation, as far as the graph declares them. */
std::vector<std::string> react_answers(node_request& request, const react_settings& settings)
{
    std::vector<std::string> answers;
    for (const std::string& key : request.spec().writes.value_or(std::vector<std::string>{}))
        if (key != settings.messages && request.layout().find(key) != state_layout::none &&
            std::find(answers.begin(), answers.end(), key) == answers.end())
            answers.push_back(key);
    if (answers.empty() && !request.spec().writes.value_or(std::vector<std::string>{}).empty())
        request.mistake("", "the node's writes name no key for the answer: add one beside the conversation");
    return answers;
}

/** Where the node may hand over, besides its edges. */
void arrange_hand_overs(node_request& request, const react_settings& settings)
{
    std::vector<std::string>& targets = request.options().goes_to;
    for (const hand_over_target& target : settings.hands_over)
        if (std::find(targets.begin(), targets.end(), target.to) == targets.end()) targets.push_back(target.to);
}

void check_react_rehearsal(node_request& request, const react_options& options)
{
    if (!options.settings.scripted.empty()) return;
    for (const std::string& key : options.writes)
        if (!agent_detail::has_plain_value(*request.layout()[request.layout().find(key)].type->update))
            request.mistake("scripted", "no model is configured, and no value of the key '" + key +
                                            "' can be made up: write replies here");
}

react_options react_options_of(node_request& request, react_settings settings, const react_surroundings& around)
{
    react_options options;
    options.name = request.spec().name;
    options.settings = std::move(settings);
    options.writes = react_answers(request, options.settings);
    options.nullable = request.spec().outputs.nullable;
    options.tool_options = around.tool_options;
    options.hooks = around.hooks;
    options.retry = request.options().retry;
    options.keys.clear();
    const state_layout& layout = request.layout();
    for (std::uint32_t slot = 0; slot < layout.size(); ++slot)
        if (request.may_read(layout[slot].name))
            options.keys.push_back({layout[slot].name, hash_of_name(layout[slot].name), layout[slot].type});
    for (const std::string& key : options.writes)
        options.descriptions.emplace(key, std::string{request.description_of(key)});
    return options;
}

std::shared_ptr<const node_body> make_react(node_request& request, const react_surroundings& around)
{
    std::optional<react_settings> settings = request.settings<react_settings>();
    if (!request.spec().writes || request.spec().writes->empty())
        request.mistake("", "the node has no writes: name the key of the conversation and one for the answer");
    if (!settings) return nullptr;
    agent_detail::check_template(request, "system", settings->system);
    agent_detail::check_template(request, "prompt", settings->prompt);
    check_react_messages(request, *settings);
    if (const std::string fault = settings->fault(); !fault.empty()) {
        const std::size_t end = fault.find(": ");
        request.mistake(fault.substr(0, end), fault.substr(end + 2));
    }
    arrange_hand_overs(request, *settings);
    react_options options = react_options_of(request, std::move(*settings), around);
    try {
        options.tools = (around.tools ? *around.tools : tool_set{}).only(options.settings.tools);
    } catch (const error& e) {
        request.mistake("tools", e.detail());
        return nullptr;
    }
    if (!around.model) check_react_rehearsal(request, options);
    if (request.mistakes().count() > 0) return request.registry().nothing();
    request.options().retry.attempts_max = 1;
    try {
        return react_agent{around.model, std::move(options)}.as_node();
    } catch (const error& e) {
        request.mistake("", e.detail());
        return nullptr;
    }
}

}  // namespace

node_kind react_kind(react_surroundings around)
{
    return {[around = std::move(around)](node_request& request) { return make_react(request, around); }, false};
}

}  // namespace weft
