#pragma once

#include <weft/graph/state/value.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace weft::agent_detail {

/** The JSON Schema of the values of a type, as a model is told it; empty if anything fits. The type is stored. */
[[nodiscard]] boost::json::object answer_schema_of(const value_type& type);

/** A schema that stands alone as a part of `whole`: where it refers to itself, it moves to `$defs/<name>` of `whole`,
 *  and a reference stands for it. */
[[nodiscard]] boost::json::object placed_in(boost::json::object& whole, std::string_view name,
                                            boost::json::object schema);

/** The schema as providers take it that hold a model to it: objects say all their members, and each is required, with
 *  null for those that may be missing; bounds of numbers and unique items are left out, since reading checks them.
 *  @return   Nothing if a part is not told, e.g. an object with any members. */
[[nodiscard]] std::optional<boost::json::object> strict_schema(boost::json::object schema);

/** `one of "billing", "technical"`, `a number`, or the schema itself; how a value is written in JSON. */
[[nodiscard]] std::string words_of_schema(const boost::json::object& schema);

/** A plain value that fits, with `text` for texts; nothing if there is none that is finite. */
[[nodiscard]] std::optional<boost::json::value> plain_value_of(const boost::json::object& schema,
                                                               std::string_view text);

}  // namespace weft::agent_detail
