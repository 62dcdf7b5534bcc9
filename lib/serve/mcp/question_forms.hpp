#pragma once

#include <weft/graph/node/question.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** A question of a run as MCP's clients ask people: with a form that is a flat object.
 *
 *  An answer that is such an object is the form. Another one is its field `answer`; what is nested is written there as
 *  JSON.
 *
 *  @par Source   MCP 2025-11-25, "Elicitation": properties are texts, numbers, booleans, choices. */
[[nodiscard]] boost::json::object form_of(const question& asked);

/** What a person said to the form of a question. */
struct form_answer {
    std::optional<boost::json::value> answer = {};  ///< Nothing: the person refuses, and the question needs an answer.
};
/** @param said   The client's result: `{"action": …, "content": …}`. To decline an approval is no; to decline a
 *                question that is not required is null.
 *  @par Errors   `http_error` 422: it is no such result, or the answer does not fit; the message says where. */
[[nodiscard]] form_answer read_form(const question& asked, const boost::json::object& said);

}  // namespace weft::serve_detail
