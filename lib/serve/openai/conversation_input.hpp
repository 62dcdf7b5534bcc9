#pragma once

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::serve_detail {

/** What a client says in a request, whichever of OpenAI's protocols it speaks. */
struct conversation_input {
    conversation_input() {}

    boost::json::array messages = {};    ///< In LangChain's form, with `role`.
    std::vector<std::string> places = {};  ///< Where each of them stands in the body.

    /** What the user said last; empty if nothing was said. */
    [[nodiscard]] std::string text() const;
};

/** Opens what a compaction item holds. @return  Messages as above.
 *  @par Errors  `http_error` 400. */
using compaction_opener = std::function<boost::json::array(std::string_view sealed, std::string_view place)>;

/** Reads `messages` of chat completions.
 *  @par Errors   `http_error` 400 with the place. */
[[nodiscard]] conversation_input read_chat_messages(const boost::json::value& messages);

/** Reads `input` of Responses: a text, or a list of items. Items of reasoning are passed over.
 *  @param member   The member that it is, for places.
 *  @par Errors     `http_error` 400 with the place. */
[[nodiscard]] conversation_input read_response_input(const boost::json::value& input, const compaction_opener& open,
                                                     std::string_view member = "input");

}  // namespace weft::serve_detail
