#pragma once

#include <weft/agent/conversation/conversation.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** Messages as text for a model that is not to take part in them: `user: …`, `assistant: …`, `assistant calls
 *  search({"q":"rain"})`, `result of search: …`. Made neutral (`neutral_text`).
 *
 *  @param positions       Entries of the conversation, oldest first.
 *  @param message_bytes   The most of one message. */
[[nodiscard]] std::string transcript_of(const conversation& history, const std::vector<std::uint32_t>& positions,
                                        std::size_t message_bytes);

/** What a model is told that summarises. */
[[nodiscard]] std::string_view summary_instructions() noexcept;

/** The summary in a model's answer: its observations, at most eight, by priority; words that are no JSON as they are.
 *  Nothing if it says nothing. */
[[nodiscard]] std::optional<std::string> read_summary(std::string_view answer);

/** A summary without any model: earlier summaries, and the beginnings of the newest eight messages. */
[[nodiscard]] std::string extractive_summary(const conversation& history, const std::vector<std::uint32_t>& positions);

}  // namespace weft
