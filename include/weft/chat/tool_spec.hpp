#pragma once

#include <weft/chat/tool_call.hpp>

#include <boost/json/conversion.hpp>
#include <boost/json/value.hpp>

#include <string>

namespace weft {

/** What a model is told about a tool. */
struct tool_spec {
    std::string name{};               ///< `[A-Za-z0-9_-]`, 1 to 64 characters: what every provider takes.
    std::string description{};        ///< For the model: what it does and when to use it.
    boost::json::value parameters{};  ///< JSON Schema of the arguments, an object; null: the tool takes none.
    bool strict = false;              ///< Ask the provider to hold the model to the schema.
    tool_input input = tool_input::json;

    friend bool operator==(const tool_spec&, const tool_spec&) = default;
};

/** `{"name":…,"description":…,"parameters":{…}}`, and `strict` and `input` when they differ from the default. */
void tag_invoke(boost::json::value_from_tag, boost::json::value& out, const tool_spec& in);

/** @par Errors `errc::unexpected_json` when a field is missing or has another type; the message names it. */
tool_spec tag_invoke(boost::json::value_to_tag<tool_spec>, const boost::json::value& in);

}  // namespace weft
