#pragma once

#include <weft/graph/node_registry.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace weft {
class node_context;
class prompt_template;
}

/** What kinds that bring items of a store into the state have in common. */
namespace weft::agent_detail {

/** What a template says, of which every key must have a value: half a name would be that of something else.
 *  @param what     What of the node's settings it is, for errors.
 *  @par Errors     `errc::missing_state_value`. */
[[nodiscard]] std::string filled(const prompt_template& text, const node_context& node, std::string_view what);

/** Writes a key. @par Errors   `errc::state_conversion` if the value does not fit the key. */
void write_json(node_context& node, const std::string& key, const boost::json::value& value);

/** The one key of the node's `writes`; empty after a mistake.
 *  @param what   What it gets, for mistakes: `recalled`. */
[[nodiscard]] std::string only_written_key(node_request& request, std::string_view what);

/** The same for a key that takes several items: a string, a list or any. */
[[nodiscard]] std::string key_for_items(node_request& request, std::string_view what);

}  // namespace weft::agent_detail
