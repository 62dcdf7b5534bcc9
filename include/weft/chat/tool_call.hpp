#pragma once

#include <boost/json/conversion.hpp>
#include <boost/json/value.hpp>

#include <string>

namespace weft {

/** What a tool takes. */
enum class tool_input {
    json,  ///< A JSON object that follows the tool's schema.
    text,  ///< Free text.
};

/** A model's wish to have a tool called. */
struct tool_call {
    std::string id{};         ///< Names the call; the message with its result repeats it.
    std::string name{};       ///< Of the tool.
    std::string arguments{};  ///< Exactly as the model wrote them: JSON text that may be wrong, or free text.
    tool_input input = tool_input::json;
    boost::json::value extra{};  ///< What the provider wants to see again with this call; null when nothing.

    friend bool operator==(const tool_call&, const tool_call&) = default;
};

/** Reads the arguments of a call as the JSON object they should be.
 *
 *  Arguments that are a JSON string which contains JSON (some models encode twice) are read once more.
 *
 *  @par Errors
 *    - `errc::invalid_json`     the text is not JSON; tell the model so and let it try again.
 *    - `errc::unexpected_json`  the text is JSON and no object.
 */
[[nodiscard]] boost::json::object parse_arguments(const tool_call& call);

/** `{"id":…,"name":…,"arguments":"…"}`, and `input` and `extra` when they say something. */
void tag_invoke(boost::json::value_from_tag, boost::json::value& out, const tool_call& in);

/** @par Errors `errc::unexpected_json` when a field is missing or has another type; the message names it. */
tool_call tag_invoke(boost::json::value_to_tag<tool_call>, const boost::json::value& in);

}  // namespace weft
