#pragma once

#include <weft/agent/react_agent.hpp>
#include <weft/base/chrono.hpp>

#include <boost/describe/class.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** What the names of tools begin with by which a supervisor asks a worker: `ask_researcher`. */
inline constexpr std::string_view delegation_prefix = "ask_";

/** A task that a supervisor gave to a worker: one of its tool calls. */
struct delegation {
    std::string call_id{};
    std::string worker{};
    std::string task{};

    friend bool operator==(const delegation&, const delegation&) = default;
};
BOOST_DESCRIBE_STRUCT(delegation, (), (call_id, worker, task))

/** What came of it. */
struct delegation_result {
    std::string call_id{};
    std::string text{};

    friend bool operator==(const delegation_result&, const delegation_result&) = default;
};
BOOST_DESCRIBE_STRUCT(delegation_result, (), (call_id, text))

extern template struct compiled_value<delegation>;
extern template struct compiled_value<std::vector<delegation_result>>;
extern template struct compiled_key<delegation>;
extern template struct compiled_key<std::vector<delegation_result>, append>;

inline constexpr state_key<delegation> delegated_task{"delegated_task"};
inline constexpr state_key<std::vector<delegation_result>, append> delegation_results{"delegation_results"};

/** Which open calls of a conversation are carried out by workers, and which are too many. */
struct delegation_plan {
    /** @param count_max   Tasks between two messages of a user. */
    delegation_plan(const list<message>& conversation, std::size_t count_max);

    std::vector<delegation> accepted{};
    std::vector<tool_call> refused{};
};

/** An agent that works for a supervisor. */
struct supervisor_worker {
    std::shared_ptr<chat_model> model = {};  ///< Null: that of the supervisor.
    std::string when = {};                   ///< For the supervisor's model: what the worker is good for.
    /** Its conversation and its answer are those by default, of its own alone. Further `keys` are keys of the
     *  supervisor's, for its prompt: they go in. */
    react_options agent = {};
};

/** What a supervisor may do. */
struct supervisor_options {
    std::size_t delegations_max = 20;   ///< Tasks between two messages of a user; more are refused.
    std::uint32_t concurrency_max = 4;  ///< Workers at the same time.
    std::chrono::nanoseconds worker_timeout = std::chrono::minutes{10};  ///< For one task.
};

/** An agent that gives tasks to others and ends with an answer of its own.
 *
 *  Its model calls `ask_<worker>` with a task; calls of one message run side by side. A worker begins each task with a
 *  conversation of its own, in which a user says the task; its answer is the result of the call, in the order of the
 *  calls. One that fails or takes too long gives an error result that says so, and the supervisor goes on. Tools of the
 *  supervisor itself are called as ever.
 *
 *  Guardrails of the supervisor's tools look at tasks as calls of `ask_<worker>`, and at answers as their results.
 *
 *  @param agent     The supervisor. It cannot hand over.
 *  @par Errors      `errc::invalid_configuration`, `graph_error`.
 *  @par Source      LangGraph's supervisor, with isolated workers. */
[[nodiscard]] graph make_supervisor(std::shared_ptr<chat_model> model, react_options agent,
                                    std::vector<supervisor_worker> workers, supervisor_options options = {});

/** Node visits that one visit of such a graph may take. */
[[nodiscard]] std::uint32_t supervisor_steps_max(const react_options& agent, const supervisor_options& options);

}  // namespace weft
