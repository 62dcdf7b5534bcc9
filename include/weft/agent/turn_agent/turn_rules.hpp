#pragma once

#include <weft/agent/node/repetition.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/units.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** What an agent may spend before it is ended. The one place of these defaults.
 *
 *  @par Source   Ivy's turn graph and its wake budget.
 */
struct turn_budget {
    std::uint32_t turns_max = 50;
    tokens tokens_max{1'000'000};                     ///< Read and written.
    usd_micros cost_max{2'000'000};
    /** From the beginning of the run, whatever it waits for; not while no process has the run. */
    std::chrono::milliseconds elapsed_max{1'800'000};
    std::uint32_t tool_calls_max = 200;
    std::optional<std::chrono::milliseconds> working_max = {};  ///< In models and tools only; not given: unlimited.
};

/** What it has spent. */
struct turn_counters {
    std::uint32_t turns = 0;
    tokens used{};
    usd_micros cost{};
    std::chrono::milliseconds elapsed{};
    std::uint32_t tool_calls = 0;
    std::chrono::milliseconds working{};  ///< In models and tools.
};

/** What a budget is made of, in the order in which it is looked at. */
enum class turn_budget_dimension : std::uint8_t { turns, tokens, cost, time, tool_calls, working_time };
BOOST_DESCRIBE_ENUM(turn_budget_dimension, turns, tokens, cost, time, tool_calls, working_time)

/** The first dimension that is used up: both times when they are exceeded, the others when they are reached. */
[[nodiscard]] std::optional<turn_budget_dimension> exhausted(const turn_counters& spent,
                                                             const turn_budget& of) noexcept;

/** How an agent is told that its budget runs out: once at 70 and once at 90 percent, by the dimension that is closest
 *  to its end. */
struct pressure_warnings {
    std::uint32_t told_percent = 0;  ///< The highest that was told.

    /** @return The warning that is due; empty if none is. */
    [[nodiscard]] std::string due(const turn_counters& spent, const turn_budget& of);

    friend bool operator==(const pressure_warnings&, const pressure_warnings&) = default;
};
BOOST_DESCRIBE_STRUCT(pressure_warnings, (), (told_percent))

/** How an agent ended. */
enum class agent_outcome : std::uint8_t {
    none,      ///< It has not.
    answered,
    failed,
    aborted,   ///< A budget was used up, or it was stopped.
};
BOOST_DESCRIBE_ENUM(agent_outcome, none, answered, failed, aborted)

/** Why an agent did not answer. */
enum class turn_trouble : std::uint8_t {
    none,
    llm_transport_error,  ///< The models could not be reached, or had no time; another day they may answer.
    llm_protocol_error,   ///< A model refused the request, or answered with something that is no reply.
    empty_replies,        ///< Too many replies in a row had neither text nor calls.
    max_tokens_stop,      ///< The same, and the last one was cut at the limit of tokens.
    repeated_failure,     ///< The same call failed in two turns in a row.
    tool_timeout,         ///< The same, and calls ran out of time.
    max_turns_exceeded,   ///< The budget of turns is used up.
    budget_exhausted,     ///< Another budget is, of the agent or of its run.
    guardrail_tripped,    ///< A guardrail stopped it.
    context_error,        ///< What the model is asked could not be put together.
    abort,                ///< It was asked to stop.
    unknown_error,
};
BOOST_DESCRIBE_ENUM(turn_trouble, none, llm_transport_error, llm_protocol_error, empty_replies, max_tokens_stop,
                    repeated_failure, tool_timeout, max_turns_exceeded, budget_exhausted, guardrail_tripped,
                    context_error, abort, unknown_error)

/** What a turn came to. */
struct reply_facts {
    bool has_text = false;        ///< More than blanks.
    bool has_calls = false;
    bool is_aborted = false;      ///< It was asked to stop.
    bool is_cut = false;          ///< At the limit of tokens.
};

/** What is to be done behind a turn. */
struct turn_decision {
    agent_outcome outcome = agent_outcome::none;
    turn_trouble trouble = turn_trouble::none;
    std::string why{};    ///< Of an outcome that is no answer, for people.
    std::string reminder{};  ///< For the model, if it goes on with a word.
};

/** What an agent remembers from turn to turn to decide how it goes on. A plain value, which converts to JSON. */
struct turn_memory {
    std::uint32_t empty_replies = 0;        ///< In a row: a reply with text or calls ends it.
    repeated_failure_detector failures{};
    bool has_only_timeouts = false;         ///< The calls that failed in the turn at work ran out of time, all of them.

    /** The rules behind a turn, the first that applies: a reply without calls answers, or is empty and nudged until
     *  `nudges_max` are used up; the same call failed twice in a row; it was asked to stop; else it goes on. */
    [[nodiscard]] turn_decision reconcile(const reply_facts& turn, std::uint32_t nudges_max = 3);
};
BOOST_DESCRIBE_STRUCT(turn_memory, (), (empty_replies, failures, has_only_timeouts))

}  // namespace weft
