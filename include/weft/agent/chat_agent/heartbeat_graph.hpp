#pragma once

#include <weft/agent/agent_graph.hpp>
#include <weft/agent/chat_agent/agent_state.hpp>
#include <weft/agent/text/named_text.hpp>
#include <weft/engine/run_options.hpp>
#include <weft/graph/graph.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** What follows a cycle whose agent is blocked. */
enum class blocked_policy : std::uint8_t {
    end,         ///< The heartbeat ends; the next one reads why.
    next_cycle,  ///< The next cycle's agent is told why, and may do something about it.
};
BOOST_DESCRIBE_ENUM(blocked_policy, end, next_cycle)

/** Why a heartbeat has ended, or not yet. */
enum class heartbeat_stop : std::uint8_t { none, done, blocked, max_cycles };
BOOST_DESCRIBE_ENUM(heartbeat_stop, none, done, blocked, max_cycles)

/** How a heartbeat stands after a cycle. */
struct heartbeat_status {
    std::uint32_t cycles = 0;
    std::uint32_t failed_cycles = 0;  ///< Whose agent failed; the heartbeat goes on.
    std::string summary{};            ///< What the last agent did; at most 500 bytes.
    std::string focus{};              ///< What the last agent said that comes next.
    std::string agent_thread{};       ///< What the cycle's agent is called in logs: `heartbeat_agent_<time>_<cycle>`.
    agent_stop last = agent_stop::none;
    heartbeat_stop stop = heartbeat_stop::none;

    friend bool operator==(const heartbeat_status&, const heartbeat_status&) = default;
};
BOOST_DESCRIBE_STRUCT(heartbeat_status, (), (cycles, failed_cycles, summary, focus, agent_thread, last, stop))

extern template struct compiled_value<heartbeat_status>;
extern template struct compiled_key<heartbeat_status>;

/** The keys of a heartbeat. */
namespace heartbeat_keys {

inline constexpr state_key<heartbeat_status> status{"heartbeat"};
inline constexpr state_key<std::string> directive{"directive"};  ///< Instead of `heartbeat_options::directive`.
inline constexpr state_key<std::string> prompt{"prompt"};        ///< Of the cycle at work.
/** What the agents of all cycles are told beside their prompt: blockers, and what the caller says. */
inline constexpr state_key<conversation, converse> notes{"notes"};
inline constexpr state_key<agent_status> agent{"agent_status"};  ///< What the cycle's agent left.
/** The projects and skills as the prompt lists them; loaded in the first cycle of a run, and kept with its state. */
inline constexpr state_key<std::string> projects{"projects"}, skills{"skills"};

}  // namespace heartbeat_keys

/** What a heartbeat is made of. */
struct heartbeat_options {
    heartbeat_options() {}

    agent_options agent{};  ///< Of each cycle; it is made a sub-agent.
    std::string name = "heartbeat";
    std::string directive{};  ///< What it is for, in each cycle.
    std::vector<std::string> rules{};
    /** What agents can work on and with; called once a run, in its first cycle. A run that is resumed by another
     *  process does not call it again. Each may be empty. */
    std::function<std::vector<named_text>()> projects{}, skills{};
    std::function<std::vector<named_text>()> agents{};  ///< Who else is at work; called in each cycle.
    std::uint32_t cycles_max = 10;
    blocked_policy on_blocked = blocked_policy::end;
};

/** An agent that works by itself, cycle by cycle, each with a fresh talk and a thread of its own.
 *
 *      start ─ prepare ─ cycle ─ judge ─ end
 *                  └─────────────┘ next
 *
 *  `prepare` writes the prompt: directive, time, number of the cycle, projects, skills and agents, what the cycle
 *  before did and wants next, rules. Projects and skills are those of the first cycle; agents are asked for anew.
 *  `cycle` is an agent graph (`subgraph`) that begins with `notes` and the prompt, and nothing else. `judge` reads what
 *  became of it. A blocked agent leaves a note for the agents after it; `on_blocked` says whether there is a next
 *  cycle. An agent that fails is counted, and the heartbeat goes on.
 *
 *  @par Errors          `errc::invalid_configuration` without a model or with `cycles_max` 0. In a run those of the
 *                       agent graph that are no failure of a cycle.
 *  @par Cancellation    As the agent graph.
 *  @par Thread safety   As `agent_graph`; the functions are called on the loops of runs.
 *  @par Example         samples/16_heartbeat.cpp [graph]
 *  @par Source          Sulla's heartbeat node. There a blocked agent ended the graph by its table of edges, and went
 *                       on by its code: here it is an option.
 */
[[nodiscard]] graph heartbeat_graph(heartbeat_options options);

/** The limits that a heartbeat is made for; its agents have those of `agent_run_options`. */
[[nodiscard]] run_options heartbeat_run_options();

/** Writes what came of a cycle into the status, and decides. A pure function.
 *  @param failed   The agent's run failed. */
[[nodiscard]] heartbeat_stop end_cycle(heartbeat_status& status, const agent_status& agent, bool failed,
                                       const heartbeat_options& options);

/** The note that a blocked agent leaves. */
[[nodiscard]] std::string blocker_note(const completion& outcome);

}  // namespace weft
