#pragma once

#include <weft/model/chat_request.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::agent_detail {

[[nodiscard]] const std::vector<std::string>& yes_and_no();

/** Holds a model to one of several answers: `{"answer": "<one of them>", "reasoning": "<one sentence>"}`. */
[[nodiscard]] output_schema choice_schema(const std::vector<std::string>& choices);

/** That form in words, for models that no provider holds to a schema. */
[[nodiscard]] std::string choice_instructions(const std::vector<std::string>& choices);

/** Which of the choices a reply names: the one that its member `answer` or its whole text is, in any case; else the
 *  longest that stands in its text as words; nothing if there is none. */
[[nodiscard]] std::optional<std::size_t> choice_in(std::string_view reply, const std::vector<std::string>& choices);
/** Whether a reply says yes: its member `answer`, or the first of the words yes, true, no and false in it. */
[[nodiscard]] std::optional<bool> yes_or_no_in(std::string_view reply);

}  // namespace weft::agent_detail
