#pragma once

#include "harness/bench.hpp"

#include <weft/chat/message.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/tool/tool_set.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace weft_bench {

// What all rows about turns of agents have in common: an agent that calls one tool in every turn but its last.
inline constexpr int agent_turns = 20;  ///< Of a run, the last of which answers.
inline constexpr int agent_runs = 100;  ///< Of a round.
inline constexpr std::string_view agent_question = "Does it rain?";
inline constexpr std::string_view agent_answer = "It rains.";

/** A model that takes no time. Its runs come one after another.
 *  @param answer   What it says in the last turn of each. */
[[nodiscard]] std::shared_ptr<weft::chat_model> instant_model(std::string answer = std::string{agent_answer});

/** The tool `look`, which does nothing to speak of. */
[[nodiscard]] weft::tool_set look_tools();

/** A message of 200 bytes, by the user and by the assistant in turn. */
[[nodiscard]] weft::message agent_message(std::size_t number);

/** One round by hand, in us CPU per turn: a loop that makes a request of copies of all messages, asks, and calls the
 *  function.
 *  @param messages   There are before the first turn, the question included.
 *  @param system     What the system says before them; empty: nothing. */
[[nodiscard]] double turns_by_hand(std::size_t messages, const std::string& system = std::string{});

/** A row: rounds of weft and by hand in turn. */
[[nodiscard]] benchmark agent_row(std::string name, std::string what, std::string goal,
                                  std::function<double()> weft, std::function<double()> floor);

}  // namespace weft_bench
