#pragma once

#include <weft/agent/pattern/pattern_participant.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::patterns {

/** The task of the next participant of a sequence, made of the whole task and of what came before: at least one answer.
 */
using handover = std::function<std::string(std::string_view task, const std::vector<contribution>& before)>;

/** The task, and behind it what the participant before made of it. */
[[nodiscard]] std::string task_with_last_answer(std::string_view task, const std::vector<contribution>& before);

/** One participant after the other; the last one's answer is the answer.
 *
 *      weft::graph g = weft::patterns::sequence("article", {researcher, writer, editor});
 *
 *  A participant that fails ends the run.
 *
 *  @par Errors   `errc::invalid_configuration`; see `participant`. */
[[nodiscard]] graph sequence(std::string name, std::vector<participant> team,
                             handover next = &task_with_last_answer);

}  // namespace weft::patterns
