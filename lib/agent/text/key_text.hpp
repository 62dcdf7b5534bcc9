#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace weft {
class node_context;
}

namespace weft::agent_detail {

/** JSON on one line as people write it. */
[[nodiscard]] std::string readable_json(const boost::json::value& value);

/** A text as it is, other values as JSON. */
[[nodiscard]] std::string readable_text(const boost::json::value& value);

/** At most so many bytes of a text; what was cut is marked. */
[[nodiscard]] std::string shortened(std::string_view text, std::size_t bytes_max);

/** `node 'draft', key 'topic'` */
[[nodiscard]] std::string place_of(const node_context& node, std::string_view key);

struct key_value {
    std::string text;
    bool has_value = false;
};
/** The value of a key as text.
 *  @par Errors  `unknown_state_key`, `key_out_of_scope`, `state_conversion`. */
[[nodiscard]] key_value read_key(const node_context& node, std::string_view key);

}  // namespace weft::agent_detail
