#include "react_file.hpp"

#include "agent/node/kind_checks.hpp"
#include "agent/prompt/answer_shape.hpp"

#include <weft/base/error.hpp>
#include <weft/tool/call/messages_key.hpp>
#include <weft/tool/call/tool_kind.hpp>

#include <boost/json/object.hpp>

#include <utility>

namespace weft::agent_detail {

void check_conversation_node(node_request& request, const std::string& messages)
{
    const auto& writes = request.spec().writes;
    if (!writes || writes->empty())
        request.mistake("", "the node has no writes: name the key of the conversation and one for the answer");
    if (request.layout().find(messages) == state_layout::none)
        return request.require_readable("messages", messages);
    if (const std::string fault = messages_key::fault_of(request.layout(), messages); !fault.empty())
        request.mistake("messages", fault);
    if (!writes || !contains(*writes, messages))
        request.mistake("messages", "the node's writes do not name '" + messages + "': add it there");
}

std::vector<std::string> answer_keys_of(node_request& request, const std::string& messages, const std::string& other)
{
    const std::vector<std::string> writes = request.spec().writes.value_or(std::vector<std::string>{});
    std::vector<std::string> answers;
    for (const std::string& key : writes)
        if (key != messages && (other.empty() || key != other) &&
            request.layout().find(key) != state_layout::none && !contains(answers, key))
            answers.push_back(key);
    if (answers.empty() && !writes.empty())
        request.mistake("", "the node's writes name no key for the answer: add one beside the conversation");
    return answers;
}

void check_work(node_request& request, const json_path& at, const react_work& work,
                const std::vector<std::string>& answers, const agent_program& around)
{
    check_template(request, json_path{at, "system"}, work.system);
    check_client_tools(request, at, work.client_tools);
    if (around.model || !work.scripted.empty()) return;
    for (const std::string& key : answers)
        if (!has_plain_value(update_type(request, key)))
            request.mistakes().add(json_path{at, "scripted"},
                                   "no model is configured, and no value of the key '" + key +
                                       "' can be made up: write replies here");
}

std::vector<any_state_key> readable_keys(const node_request& request)
{
    std::vector<any_state_key> keys;
    const state_layout& layout = request.layout();
    for (std::uint32_t slot = 0; slot < layout.size(); ++slot)
        if (request.may_read(layout[slot].name))
            keys.push_back({layout[slot].name, hash_of_name(layout[slot].name), layout[slot].type});
    return keys;
}

void check_agent_name(node_request& request, const json_path& at, std::string_view prefix, const std::string& name)
{
    if (name.empty()) return request.mistakes().add(at, "is empty: the model calls the agent by it");
    try {
        tool_set{}.add_remote(std::string{prefix} + name, "", boost::json::object{{"type", "object"}});
    } catch (const error& e) {
        request.mistakes().add(at, e.where() + ": " + e.detail());
    }
}

react_options options_of_work(node_request& request, react_settings settings, const std::vector<std::string>& answers,
                              const agent_program& around)
{
    react_options options;
    options.name = request.spec().name;
    options.settings = std::move(settings);
    options.writes = answers;
    options.nullable = request.spec().outputs.nullable;
    options.tool_options = around.tool_options;
    options.hooks = around.hooks;
    options.keys = readable_keys(request);
    for (const std::string& key : answers)
        options.descriptions.emplace(key, std::string{request.description_of(key)});
    return options;
}

}  // namespace weft::agent_detail
