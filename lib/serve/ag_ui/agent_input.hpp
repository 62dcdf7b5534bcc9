#pragma once

#include "serve/http/fields.hpp"

#include <weft/chat/message.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace weft::serve_detail {

/** A message of an AG-UI client, as far as a graph gets it. */
struct agent_message {
    agent_message() {}

    std::string id = {};
    weft::role role = weft::role::user;
    std::string text = {};                ///< All its text.
    std::vector<std::string> calls = {};  ///< Ids of the calls that an assistant asks for.
    std::string answered_call = {};       ///< Of a tool.
    boost::json::object form = {};        ///< As LangChain's clients write it, see `message_from_langchain`.
};

/** An answer to a question. */
struct agent_answer {
    agent_answer() {}

    std::string question = {};
    bool is_cancelled = false;
    boost::json::value payload = {};
};

/** The body of a request that runs an agent.
 *  @par Source   AG-UI 1.0, RunAgentInput. */
struct agent_input {
    agent_input() {}

    std::string thread = {};
    std::string run = {};         ///< As the client calls it.
    std::string parent_run = {};
    bool speaks_v1 = false;  ///< Whether the client says that it speaks 1.0 or later.
    std::vector<agent_message> messages = {};  ///< The whole conversation; without activities and reasoning.
    boost::json::object state = {};
    boost::json::object surroundings = {};  ///< `tools`, `context` and `forwardedProps`, for graphs that want them.
    std::vector<agent_answer> answers = {};
};

/** Reads such a body. Members that are not known are passed over, as are nulls.
 *  @par Errors   `http_error` 422, which names the place, e.g. `body.messages[2].role`. */
[[nodiscard]] agent_input read_agent_input(const boost::json::object& body);

/** The members of the body, for `/openapi.json`. */
[[nodiscard]] const field_set& agent_input_fields();

}  // namespace weft::serve_detail
