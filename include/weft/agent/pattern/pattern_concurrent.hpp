#pragma once

#include <weft/agent/pattern/pattern_participant.hpp>
#include <weft/base/chrono.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::patterns {

/** How several answers to one task become one. */
struct concurrent_options {
    chooser choose = &majority;              ///< Asked when all have ended.
    std::optional<participant> judge = {};   ///< Instead: it reads the answers and names the number of the best.
    std::size_t answers_min = 1;             ///< With fewer answers, since participants failed, the run fails.
    std::uint32_t concurrency_max = 0;       ///< Participants at the same time; 0: as many as the run allows.
    std::chrono::nanoseconds timeout{0};     ///< For each participant; 0: none.
};

/** The task and the answers, numbered from 1, for a judge who is to name a number. */
[[nodiscard]] std::string task_of_judge(std::string_view task, const std::vector<contribution>& candidates);

/** All participants work at the task side by side; then one answer is chosen: by vote, by a score or by a judge.
 *
 *      weft::patterns::concurrent("vote", {a, b, c})
 *      weft::patterns::concurrent("best", {a, b, c}, {.judge = judge})
 *
 *  Answers are compared in the order of the participants, not of their speed. Those that fail are left out.
 *
 *  @par Errors   `errc::invalid_configuration`; see `participant`. In a run: `errc::quorum_missed`;
 *                `errc::invalid_model_reply` if a judge names no number of an answer. */
[[nodiscard]] graph concurrent(std::string name, std::vector<participant> team, concurrent_options options = {});

}  // namespace weft::patterns
