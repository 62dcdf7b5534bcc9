#pragma once

#include <weft/agent/event_loop/loop_limits.hpp>
#include <weft/agent/event_loop/loop_memory.hpp>
#include <weft/agent/event_loop/loop_output.hpp>
#include <weft/agent/node/judge.hpp>
#include <weft/chat/tool_call.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** By what an event loop decides how it goes on. */
struct loop_rules {
    loop_limits limits = {};
    std::vector<event_loop_output> outputs = {};
    bool faces_client = false;
    bool is_sub_agent = false;
    bool skips_judge = false;
    bool has_judge = false;     ///< One of the program.
    bool has_criteria = false;  ///< A model is to judge the quality.

    /** How many turns a visit may have. */
    [[nodiscard]] std::uint32_t iterations_max() const noexcept;
    [[nodiscard]] std::vector<std::string> missing(const event_loop_memory& memory) const;
};

/** The memory of a visit that begins. */
[[nodiscard]] event_loop_memory first_memory(const loop_rules& rules);

/** A turn begins, unless all are used up: then the loop has ended. */
void begin_turn(event_loop_memory& memory, const loop_rules& rules);

/** The model has replied.
 *  @param real   Its calls of tools that do something, in order. */
void note_reply(event_loop_memory& memory, std::string text, std::size_t calls, const std::vector<tool_call>& real);

/** What follows behind a turn. */
struct loop_step {
    enum class kind : std::uint8_t {
        judge,  ///< The turn is to be judged.
        again,  ///< The next turn.
        ask,    ///< A person first.
        end,    ///< The memory says how.
    };
    kind what = kind::again;
    std::string reminder{};       ///< For the model, with the next turn; empty: nothing.
    std::string event{};       ///< For watchers; empty: nothing.
    std::string event_text{};
};

/** What the guards make of a turn, in their order: an empty reply, the agent's own escalation, a stall, a doom loop,
 *  a question to a person, the grace of a loop that faces the client; then the judge, if it is his turn.
 *  @param memory   Is changed. */
[[nodiscard]] loop_step guard_turn(event_loop_memory& memory, const loop_rules& rules);

/** Who judges. */
enum class judge_kind : std::uint8_t { rules, own, model };

/** What the rules make of a turn, in the order: marked complete, not to be judged, the judge of a sub-agent or
 *  that of the program, the implicit ones, a model on the criteria.
 *  @return   Who is to judge; `into` is the verdict if it is the rules. */
[[nodiscard]] judge_kind judge_turn(const event_loop_memory& memory, const loop_rules& rules, verdict& into);

/** The judge of sub-agents: all outputs, or else feedback that becomes urgent as the turns run out.
 *  @par Source   Hive's SubagentJudge. */
[[nodiscard]] verdict judge_sub_agent(const event_loop_memory& memory, const loop_rules& rules);

/** What follows a verdict. @param memory   Is changed. */
[[nodiscard]] loop_step take_verdict(event_loop_memory& memory, const loop_rules& rules, const verdict& from);

}  // namespace weft
