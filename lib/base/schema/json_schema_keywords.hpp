#pragma once

#include "json_schema_program.hpp"

#include <weft/base/text/json_path.hpp>

#include <string_view>

namespace weft::schema_detail {

class schema_compiler;

/** Reads the value of a keyword into the node of its schema; what it finds wrong it refuses by the compiler. */
using keyword_handler = void (*)(schema_compiler& by, schema_node& to, const boost::json::value& from,
                                 const json_path& at);

/** Null for a name that is no keyword: it says nothing about values. */
[[nodiscard]] keyword_handler handler_of(std::string_view name);

}  // namespace weft::schema_detail
