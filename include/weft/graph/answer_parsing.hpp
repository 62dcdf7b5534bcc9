#pragma once

#include <weft/graph/node/question.hpp>

#include <boost/json/value.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** What a text that a person typed says in answer to a question.
 *
 *  A selection takes the number of an option, from 1, its name in any case, or a beginning of it that only one option
 *  has; an approval yes, no, y, n, ok, approve, reject and the like in any case; several fields a JSON object, one
 *  `name: value` a line, or, if only one field is required, its value; a structured answer JSON, also within words and
 *  code fences, or, where its schema takes a string, the text. An empty text answers what is not required with null.
 *
 *  @return   The answer, which fits the question; nothing if the text does not answer it.
 */
[[nodiscard]] std::optional<boost::json::value> parse_answer(const question& asked, std::string_view text);

/** As `parse_answer`.
 *  @par Errors  `errc::invalid_answer`; detail: what would fit, for people. */
[[nodiscard]] boost::json::value require_answer(const question& asked, std::string_view text,
                                                std::string_view where = {});

/** A question and where its answer goes. */
struct addressed_question {
    std::string address;
    const question* asked;
};

/** An answer and where it goes. */
using addressed_answer = std::pair<std::string, boost::json::value>;

/** Reads answers out of a text that was said to several questions at once; a model may do it better than rules. */
using answer_parser =
    std::function<std::vector<addressed_answer>(std::span<const addressed_question> asked, std::string_view text)>;

/** The answers that a text gives to several questions.
 *
 *  A JSON object whose members are addresses answers those; lines `1: …`, `2) …` answer by number, from 1. Anything
 *  else answers the first question.
 *
 *  @return   The answers that fit their questions; those of `better`, if it is given and finds any.
 *  @par Source   The HITL protocol of Hive, v0.4.4: the raw text answers the first question if nothing else does. */
[[nodiscard]] std::vector<addressed_answer> parse_answers(std::span<const addressed_question> asked,
                                                          std::string_view text, const answer_parser& better = {});

}  // namespace weft
