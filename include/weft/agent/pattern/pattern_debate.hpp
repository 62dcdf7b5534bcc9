#pragma once

#include <weft/agent/pattern/pattern_participant.hpp>
#include <weft/base/chrono.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::patterns {

/** How a debate ended, or where it stands. */
struct debate_state {
    std::int64_t rounds = 0;  ///< Begun so far.
    bool has_agreed = false;

    friend bool operator==(const debate_state&, const debate_state&) = default;
};
BOOST_DESCRIBE_STRUCT(debate_state, (), (rounds, has_agreed))

}  // namespace weft::patterns

namespace weft {

extern template struct compiled_value<patterns::debate_state>;
extern template struct compiled_key<patterns::debate_state>;

}  // namespace weft

namespace weft::patterns {

inline constexpr state_key<debate_state> debate_stands{"debate"};

/** Whether answers of a round, of which there is at least one, agree. */
using agreement = std::function<bool(const std::vector<contribution>&)>;

/** Whether all are the same, as `as_vote` compares them. */
[[nodiscard]] bool all_the_same(const std::vector<contribution>& answers);

/** The task of one participant in a round: the task itself, and from the second round on what all answered last, the
 *  participant's own answer among it. */
using debate_brief = std::function<std::string(std::string_view task, std::string_view participant,
                                               const std::vector<contribution>& last_round)>;

[[nodiscard]] std::string task_with_positions(std::string_view task, std::string_view participant,
                                              const std::vector<contribution>& last_round);

/** How a debate is held. */
struct debate_options {
    std::int64_t rounds_max = 3;          ///< At least 1; then it ends without agreement.
    agreement agrees = &all_the_same;
    chooser choose = &majority;           ///< The answer among those of the last round.
    debate_brief brief = &task_with_positions;
    std::chrono::nanoseconds timeout{0};  ///< For each participant in each round; 0: none.
};

/** All participants answer side by side, read each other's answers and answer again, until they agree or the rounds are
 *  used up. How it ended is told by the key `debate`.
 *
 *      weft::graph g = weft::patterns::debate("panel", {optimist, sceptic, engineer}, {.rounds_max = 4});
 *
 *  One that fails in a round is left out of it; if all fail, the run does. A durable run goes on in the round in
 *  which it broke off, with the answers that are there.
 *
 *  @par Errors   `errc::invalid_configuration`; see `participant`.
 *  @par Source   Du et al.: Improving Factuality and Reasoning in Language Models through Multiagent Debate, 2023. */
[[nodiscard]] graph debate(std::string name, std::vector<participant> team, debate_options options = {});

}  // namespace weft::patterns
