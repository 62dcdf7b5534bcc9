#include "kind_checks.hpp"

#include <weft/base/error.hpp>

#include <algorithm>
#include <utility>

namespace weft::agent_detail {

void check_template(node_request& request, std::string_view member, const std::string& text)
{
    try {
        const prompt_template parsed{text};
        for (const prompt_template::place& place : parsed.places())
            request.require_readable(member, place.key, place.at.text() + ": ");
    } catch (const error& e) {
        request.mistake(member, e.detail());
    }
}

void check_sampling(node_request& request, std::optional<double> temperature, std::optional<std::int64_t> output_max)
{
    if (temperature && *temperature < 0) request.mistake("temperature", "is negative: it is at least 0");
    if (output_max && *output_max < 1) request.mistake("output_max", "is too small: it is at least 1");
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
    for (const std::string& key : *request.spec().writes)
        if (request.layout().find(key) != state_layout::none && std::find(keys.begin(), keys.end(), key) == keys.end())
            keys.push_back(key);
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

void check_rehearsal(node_request& request, const llm_node_options& options)
{
    if (!options.settings.scripted.empty()) return;
    for (const std::string& key : options.writes)
        if (key != options.settings.messages && !has_plain_value(update_type(request, key)))
            request.mistake("scripted", "no model is configured, and no value of the key '" + key +
                                            "' can be made up: write replies here");
}

}  // namespace weft::agent_detail
