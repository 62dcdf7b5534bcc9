#pragma once

#include <weft/agent/core/agent_settings.hpp>
#include <weft/agent/react/handoff.hpp>
#include <weft/tool/call/client_tools.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** What an agent does whose model still wants tools when its turns are used up. */
enum class react_limit {
    answer,  ///< Its model is asked once more, without tools, for an answer from what is known.
    fail,    ///< Its node fails with `errc::limit_reached`.
    stop,    ///< It ends without an answer.
};
BOOST_DESCRIBE_ENUM(react_limit, answer, fail, stop)

/** How any agent works that calls tools in a loop, as a graph file says it: one alone, a member of a team, a supervisor
 *  and its workers. `system` is a template; see `prompt_template`. */
struct react_work : agent_settings {
    std::string system = {};
    std::int64_t turns_max = 25;             ///< Calls of the model in a visit, beside a final answer; 1 to 10000.
    react_limit at_limit = react_limit::answer;
    std::optional<std::int64_t> attempts_max = {};  ///< At each call of the model; 1 to 100. Not given: as C++ says, 1.
    std::optional<std::int64_t> calls_max = {};         ///< Tool calls of one message; more are refused.
    std::optional<std::int64_t> concurrency_max = {};   ///< Tool calls at the same time.
    std::optional<std::int64_t> result_chars_max = {};  ///< Of a result that the model sees.
    /** The replies when there is no model: one a turn, the last again. A text may call tools; see
     *  `find_calls_in_text`. */
    std::vector<std::string> scripted = {};
    /** Tools of the run's client that the model may call beside `tools`; a call waits for the client's answer. */
    client_tools_offer client_tools = {};

    /** What is wrong, each as `member: text`. */
    [[nodiscard]] std::vector<std::string> faults() const;

    friend bool operator==(const react_work&, const react_work&) = default;
};
BOOST_DESCRIBE_STRUCT(react_work, (agent_settings),
                      (system, turns_max, at_limit, attempts_max, calls_max, concurrency_max, result_chars_max,
                       scripted, client_tools))

/** An agent that calls tools in a loop, as a graph file says it. `prompt` is a template too. */
struct react_settings : react_work {
    std::string prompt = {};                 ///< Said by the user if nothing was said yet.
    std::string messages = "messages";       ///< The key of the conversation; see `messages_key`.
    std::vector<handoff_target> hands_over = {};  ///< To whom it may hand the conversation over.
    std::int64_t hand_overs_max = 8;         ///< Between two messages of a user, all agents together; at most 1000.

    /** What is wrong with the numbers and guardrails, each as `member: text`. */
    [[nodiscard]] std::vector<std::string> faults() const;
};
BOOST_DESCRIBE_STRUCT(react_settings, (react_work), (prompt, messages, hands_over, hand_overs_max))

}  // namespace weft
