#pragma once

#include "conversation_input.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string>

namespace weft::serve_detail {

/** What a client asks for with `POST /v1/chat/completions`. */
struct completion_request {
    completion_request() {}

    std::string model = {};
    conversation_input input = {};
    bool stream = false;
    bool includes_usage = false;    ///< The stream ends with what was used.
    boost::json::array tools = {};  ///< Of the client, in the form of Responses.
    boost::json::object sent_tools = {};  ///< As it gave them; see `sent_tools_of`.
    boost::json::object metadata = {};
    std::string thread = {};        ///< `metadata.thread_id`: the run is kept in this thread; empty: it is not kept.
};

/** @par Errors   `http_error` 400 with the place. */
[[nodiscard]] completion_request read_completion_request(const boost::json::object& body);

}  // namespace weft::serve_detail
