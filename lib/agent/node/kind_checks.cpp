#include "kind_checks.hpp"

#include <weft/base/error.hpp>

#include <charconv>
#include <unordered_set>
#include <utility>

namespace weft::agent_detail {

namespace {

/** Goes down the members and indices in front of the text. */
void tell_below(node_request& request, const json_path& at, std::string_view steps, std::string_view text)
{
    if (steps.empty()) return request.mistakes().add(at, std::string{text});
    if (steps.front() == '.') return tell_below(request, at, steps.substr(1), text);
    if (steps.front() != '[') {
        const std::string_view name = steps.substr(0, steps.find_first_of(".["));
        return tell_below(request, json_path{at, name}, steps.substr(name.size()), text);
    }
    const std::size_t end = steps.find(']');
    std::size_t index = 0;
    std::from_chars(steps.data() + 1, steps.data() + end, index);
    tell_below(request, json_path{at, index}, steps.substr(end + 1), text);
}

}  // namespace

void tell_fault(node_request& request, const json_path& at, std::string_view fault)
{
    const std::size_t end = fault.find(": ");
    tell_below(request, at, fault.substr(0, end), fault.substr(end + 2));
}

void tell_faults(node_request& request, const json_path& at, const std::vector<std::string>& faults)
{
    for (const std::string& fault : faults) tell_fault(request, at, fault);
}

void tell_faults(node_request& request, const std::vector<std::string>& faults)
{
    tell_faults(request, request.settings_at(), faults);
}

std::optional<prompt_template> check_template(node_request& request, std::string_view member, const std::string& text)
{
    return check_template(request, json_path{request.settings_at(), member}, text);
}

std::optional<prompt_template> check_template(node_request& request, const json_path& at, const std::string& text)
{
    try {
        prompt_template parsed{text};
        for (const prompt_template::place& place : parsed.places())
            request.require_readable(at, place.key, place.at.text() + ": ");
        return parsed;
    } catch (const error& e) {
        request.mistakes().add(at, e.detail());
        return std::nullopt;
    }
}

void require_written(node_request& request, std::string_view member, const std::string& key)
{
    if (!request.may_write(key))
        request.mistake(member, "the node's writes do not name '" + key + "': add it there");
}

std::optional<tool_set> tools_named(node_request& request, const json_path& at, const std::vector<std::string>& names,
                                    const tool_set* all)
{
    try {
        return (all ? *all : tool_set{}).only(names);
    } catch (const error& e) {
        request.mistakes().add(json_path{at, "tools"}, e.detail());
        return std::nullopt;
    }
}

std::shared_ptr<const tool_set> shared_tools_named(node_request& request, const std::vector<std::string>& names,
                                                   const tool_set* all)
{
    if (names.empty()) return nullptr;
    std::optional<tool_set> tools = tools_named(request, request.settings_at(), names, all);
    return tools ? std::make_shared<const tool_set>(std::move(*tools)) : nullptr;
}

tool_runner_options guarded_options(const tool_guards_settings& guards, tool_runner_options options,
                                    const std::shared_ptr<chat_model>& model)
{
    return guards.faults().empty() ? guard_tools(std::move(options), guards, model) : options;
}

std::shared_ptr<const guardrails> model_guards(const guards_settings& guards,
                                               const std::shared_ptr<const guardrails>& program,
                                               const std::shared_ptr<chat_model>& model)
{
    if (!model || !guards.faults().empty()) return nullptr;
    std::shared_ptr<const guardrails> own = guards.make(model);
    if (!program || !own) return own ? own : program;
    auto both = std::make_shared<guardrails>(*program);
    both->input.insert(both->input.end(), own->input.begin(), own->input.end());
    both->output.insert(both->output.end(), own->output.begin(), own->output.end());
    if (!own->output.empty()) both->release = own->release;
    return both;
}

void check_has_writes(node_request& request)
{
    if (request.spec().writes && !request.spec().writes->empty()) return;
    request.mistake("", "the node has no writes, and the answer of the model must go somewhere: add \"writes\" with "
                        "the keys that it gives values to");
}

std::vector<std::string> written_keys(const node_request& request)
{
    std::vector<std::string> keys;
    if (!request.spec().writes) return keys;
    std::unordered_set<std::string_view> seen;
    for (const std::string& key : *request.spec().writes)
        if (request.layout().find(key) != state_layout::none && seen.insert(key).second) keys.push_back(key);
    return keys;
}

const value_type& update_type(const node_request& request, const std::string& key)
{
    return *request.layout()[request.layout().find(key)].type->update;
}

llm_node_options llm_options_of(const node_request& request, llm_settings settings)
{
    llm_node_options options;
    options.settings = std::move(settings);
    options.writes = written_keys(request);
    options.nullable = request.spec().outputs.nullable;
    options.reads = request.spec().reads;
    options.owes_text = request.spec().outputs.required;
    for (const std::string& key : options.writes) options.descriptions.emplace(key, request.description_of(key));
    return options;
}

void check_dry_run(node_request& request, const llm_node_options& options)
{
    if (!options.settings.scripted.empty()) return;
    for (const std::string& key : options.writes)
        if (key != options.settings.messages && !has_plain_value(update_type(request, key)))
            request.mistake("scripted", "no model is configured, and no value of the key '" + key +
                                            "' can be made up: write replies here");
}

}  // namespace weft::agent_detail
