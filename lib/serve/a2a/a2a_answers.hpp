#pragma once

#include "a2a_request.hpp"

#include <weft/engine/scheduler/open_question.hpp>

#include <vector>

namespace weft::serve_detail {

/** The answers that a message gives to the questions of a task that waits. A part `{"data": {"answers": {id: value}}}`
 *  answers by the ids of questions; otherwise the message is the answer to the only one that is open, as data or as
 *  words. Words become what the question wants: yes and no, a number, JSON. `metadata.questionId` says which question
 *  the client means to answer.
 *
 *  @param open   Not empty.
 *  @par Errors   `http_error`: `stale_answer` if a question that is named is not open, `invalid_params` if it is not
 *                said which of several is answered; `errc::invalid_answer` if an answer does not fit. */
[[nodiscard]] question_answers a2a_answers(const a2a_message& message, const std::vector<open_question>& open);

/** What a task that waits for answers tells: a message of the agent with the texts of its questions, and data
 *  `{"questions": [{"id", "text", "kind", "schema", …}]}`.
 *  @param task   Of the message, with its context. */
[[nodiscard]] boost::json::object a2a_asking(std::string_view task, std::string_view context,
                                             const std::vector<open_question>& open);

}  // namespace weft::serve_detail
