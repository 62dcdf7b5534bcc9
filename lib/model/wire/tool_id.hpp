#pragma once

#include <weft/model/wire/tool_id_style.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::model_detail {

/** An id for a tool call, in a form that every server takes; equal numbers give equal ids. */
[[nodiscard]] std::string make_tool_id(std::uint64_t number, tool_id_style style);

/** The id as a server of this style takes it: itself, or always the same replacement. */
[[nodiscard]] std::string translated_tool_id(std::string_view id, tool_id_style style);

/** The id as a server takes it that knows letters, digits, `_` and `-` only: itself, or always the same replacement. */
[[nodiscard]] std::string plain_tool_id(std::string_view id);

}  // namespace weft::model_detail
