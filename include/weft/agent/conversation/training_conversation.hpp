#pragma once

#include <weft/agent/text/secret_scrubber.hpp>
#include <weft/chat/message.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** The form of a conversation in a file for fine-tuning. */
enum class training_format : std::uint8_t {
    openai,    ///< `{"messages":[{"role":"user","content":"…"},…]}`, with `tool_calls`: that of OpenAI's chat models.
    sharegpt,  ///< `{"conversations":[{"from":"human","value":"…"},…]}`, with `function_call` and `observation`.
};

/** A conversation in the state of a run. */
struct state_conversation {
    std::string key = {};
    std::string lane = {};  ///< Of a key of the type `conversation`: which talk; empty: the main one.
    std::vector<message> messages = {};
};

/** The conversations in a state, as JSON: keys of the type `messages` and lists like them, and each lane of keys of the
 *  type `conversation`, with what was said in it and without summaries.
 *  @param key   Only this one; empty: all. */
[[nodiscard]] std::vector<state_conversation> conversations_in(const boost::json::object& state,
                                                               std::string_view key = {});

/** A conversation as an example to train with: up to the last reply of the model, without reasoning, secrets hidden.
 *  Pictures stay in `openai` if they have an address, and are `[image]` else.
 *  @return   Nothing if no user or no model said anything. */
[[nodiscard]] std::optional<boost::json::object> training_example(const std::vector<message>& said,
                                                                  training_format format,
                                                                  const secret_scrubber& scrubber);

}  // namespace weft
