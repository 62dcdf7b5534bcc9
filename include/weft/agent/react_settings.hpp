#pragma once

#include <weft/agent/hand_over.hpp>

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

/** An agent that calls tools in a loop, as a graph file says it. `system` and `prompt` are templates; see
 *  `prompt_template`. */
struct react_settings {
    std::string system = {};
    std::string prompt = {};                 ///< Said by the user if nothing was said yet.
    std::string messages = "messages";       ///< The key of the conversation; see `messages_key`.
    std::vector<std::string> tools = {};     ///< Tools of the program that the model may call.
    std::vector<hand_over_target> hands_over = {};  ///< To whom it may hand the conversation over.
    std::string model = {};                  ///< Another model than the one that the program has.
    std::optional<double> temperature = {};
    std::optional<std::int64_t> output_max = {};  ///< Most tokens of a reply.
    std::int64_t turns_max = 25;             ///< Calls of the model in a visit, beside a final answer; 1 to 10000.
    react_limit at_limit = react_limit::answer;
    std::int64_t hand_overs_max = 8;         ///< Between two messages of a user, all agents together; at most 1000.
    std::optional<std::int64_t> calls_max = {};         ///< Tool calls of one message; more are refused.
    std::optional<std::int64_t> concurrency_max = {};   ///< Tool calls at the same time.
    std::optional<std::int64_t> result_chars_max = {};  ///< Of a result that the model sees.
    std::vector<std::string> scripted = {};  ///< The replies when there is no model: one a turn, the last again.

    /** What is wrong with the numbers, as `member: text`; empty if nothing is. */
    [[nodiscard]] std::string fault() const;
};
BOOST_DESCRIBE_STRUCT(react_settings, (),
                      (system, prompt, messages, tools, hands_over, model, temperature, output_max, turns_max,
                       at_limit, hand_overs_max, calls_max, concurrency_max, result_chars_max, scripted))

}  // namespace weft
