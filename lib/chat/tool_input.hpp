#pragma once

#include <weft/chat/tool_call.hpp>

#include "json_fields.hpp"

namespace weft::chat_detail {

/** Adds the field `input` unless it has its default. */
void put_input(boost::json::object& out, tool_input input);

[[nodiscard]] tool_input read_input(const json_fields& fields);

}  // namespace weft::chat_detail
