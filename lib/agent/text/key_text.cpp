#include "key_text.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/base/utf8.hpp>
#include <weft/graph/node_context.hpp>

namespace weft::agent_detail {

std::string readable_json(const boost::json::value& value) { return to_json_text(value, json_spacing::written); }

std::string readable_text(const boost::json::value& value)
{
    return value.is_string() ? std::string{std::string_view{value.get_string()}} : readable_json(value);
}

std::string shortened(std::string_view text, std::size_t bytes_max)
{
    if (text.size() <= bytes_max) return std::string{text};
    return std::string{truncated_utf8(text, bytes_max)} + "…";
}

std::string place_of(const node_context& node, std::string_view key)
{
    return "node '" + std::string{node.node()} + "', key '" + std::string{key} + "'";
}

key_value read_key(const node_context& node, std::string_view key)
{
    const std::uint32_t slot = node.layout().find(key);
    if (slot == state_layout::none)
        throw error{errc::unknown_state_key, place_of(node, key), "declare it in the graph, or correct the name"};
    if (!node.may_read(slot))
        throw error{errc::key_out_of_scope, place_of(node, key), "add the key to the `reads` of the node"};
    const value_ptr& value = node.value_at(slot);
    if (!value) return {};
    if (!value->type().to_json)
        throw error{errc::state_conversion, place_of(node, key), "a transient key has no text: name another one"};
    return {readable_text(value->type().to_json(*value)), true};
}

}  // namespace weft::agent_detail
