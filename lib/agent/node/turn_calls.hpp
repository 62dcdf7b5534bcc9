#pragma once

#include <weft/chat/message.hpp>
#include <weft/chat/tool_call.hpp>
#include <weft/tool/tool_set.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** Tool calls that a model wrote into its text, and the text without them. */
struct calls_in_text {
    std::vector<tool_call> calls{};  ///< Without ids; at most 45.
    std::string text{};
};

/** Finds the tool calls that models without a way of their own to call tools write into their text:
 *
 *  - `<tool_call>{"name": …, "arguments": {…}}</tool_call>`, also `function_call`, one or a list;
 *  - `[TOOL_CALLS] [{…}, …]`, up to the end of the text;
 *  - a fence of JSON, or a text that is JSON as a whole, with the same content.
 *
 *  Only calls of tools that there are count, and outside of tags only such that have arguments, so that an answer in
 *  JSON stays an answer. `args`, `parameters` and `input` are taken for `arguments`, `tool`, `tool_name` and
 *  `function` for `name`, a `function` with both as well. A call that is cut is none.
 *
 *  @par Source   The formats of Hermes, Qwen and Mistral. */
[[nodiscard]] calls_in_text find_calls_in_text(std::string_view text, const tool_set& tools);

/** The message of a model as the agent goes on with it: calls in its text become calls, of calls with one id the first
 *  counts, and calls without id get one.
 *
 *  @param id_prefix   Of ids that are given; what follows it counts up.
 *  @return            Nothing if the message is right as it is. */
[[nodiscard]] std::optional<message> with_proper_calls(const message& said, const tool_set& tools,
                                                       std::string_view id_prefix);

}  // namespace weft
