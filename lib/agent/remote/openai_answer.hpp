#pragma once

#include <weft/chat/message.hpp>
#include <weft/chat/usage.hpp>
#include <weft/graph/node/question.hpp>
#include <weft/model/chat_reply.hpp>

#include <boost/describe/class.hpp>
#include <boost/json/value.hpp>

#include <string>

/** What an agent behind OpenAI's API says and asks: decided without I/O. */
namespace weft::agent_detail {

/** An answer as the journal has it. */
struct openai_answer {
    weft::message said{};
    weft::usage used{};
    std::string id{};           ///< Of the response.
    std::string failed{};       ///< The name of the error by which a response in the background has ended; empty: none.
    std::string why{};          ///< What the error says.
    bool was_cancelled = false; ///< The response has failed since it was cancelled.
};
BOOST_DESCRIBE_STRUCT(openai_answer, (), (said, used, id, failed, why, was_cancelled))

/** An answer that can be used.
 *  @par Errors   `errc::agent_refused` without a place: a refusal, an incomplete answer, a call of another function
 *                than that of questions. */
[[nodiscard]] openai_answer answer_of_reply(chat_reply reply);

/** The question that a call of `weft_question` asks, as one of ours.
 *  @par Errors   `errc::agent_refused` without a place: the arguments are no question. */
[[nodiscard]] question question_of_call(const tool_call& call);

/** What people have answered, as the output of a call. A text goes as it is, unless that reads as something else. */
[[nodiscard]] std::string output_of_answer(const question& asked, const boost::json::value& answer);

}  // namespace weft::agent_detail
