#include "recalled_key.hpp"

#include "agent/node/kind_checks.hpp"
#include "agent/text/key_text.hpp"

#include <weft/agent/prompt/prompt_template.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/node_context.hpp>

#include <utility>

namespace weft::agent_detail {

std::string filled(const prompt_template& text, const node_context& node, std::string_view what)
{
    prompt_template::filled said = text.fill(node);
    if (said.missing.empty()) return std::move(said.text);
    throw error{errc::missing_state_value, place_of(node, said.missing.front()),
                "the " + std::string{what} + " of the node names it: write it in an earlier node"};
}

void write_json(node_context& node, const std::string& key, const boost::json::value& value)
{
    const std::uint32_t slot = node.layout().find(key);
    try {
        node.write({slot, false, false, node.layout()[slot].type->update->from_json(value)});
    } catch (const error& e) {
        throw error{errc::state_conversion, place_of(node, key), "what was remembered: " + e.detail()};
    }
}

std::string only_written_key(node_request& request, std::string_view what)
{
    if (!request.spec().writes || request.spec().writes->size() != 1) {
        request.mistake("", "what is " + std::string{what} +
                                " goes to one key: name it, and no other, in \"writes\"");
        return {};
    }
    const std::vector<std::string> keys = written_keys(request);
    if (keys.empty()) return {};  // told where the key is named
    if (!update_type(request, keys.front()).from_json)
        request.mistake("", "a transient key takes nothing that was kept: name another one in \"writes\"");
    return keys.front();
}

std::string key_for_items(node_request& request, std::string_view what)
{
    std::string key = only_written_key(request, what);
    if (key.empty()) return key;
    const value_type& type = update_type(request, key);
    const bool takes_list = &type == &value_type_of<boost::json::array> || &type == &value_type_of<boost::json::value>;
    if (type.from_json && !takes_list && &type != &value_type_of<std::string>)
        request.mistake("", "several items go to a key of the type string, list or any, and '" + key +
                                "' is none: name another one in \"writes\"");
    return key;
}

}  // namespace weft::agent_detail
