#pragma once

#include "conversation_input.hpp"
#include "serve/http/fields.hpp"

#include <weft/base/system/ids.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace weft::serve_detail {

/** What a client asks for with `POST /v1/responses`. */
struct response_request {
    response_request() {}

    run_id id = {};                 ///< Of its run; nil: any.
    std::string model = {};
    conversation_input input = {};
    std::string instructions = {};
    std::string previous = {};      ///< The id of the response that this one follows; empty: none.
    std::string conversation = {};  ///< The id of the conversation that it belongs to; empty: none.
    bool store = true;
    bool background = false;
    bool stream = false;
    boost::json::array tools = {};  ///< Of the client.
    boost::json::object sent_tools = {};  ///< The same with how they may be called; see `sent_tools_of`.
    /** What the response repeats of the request, with what counts where nothing was given. */
    boost::json::object echo = {};
};

/** Reads the body of a request, or a message `response.create` of a WebSocket.
 *  @par Errors   `http_error` 400 with the place. */
[[nodiscard]] response_request read_response_request(const boost::json::object& body, const compaction_opener& open);

/** The members of a response that no request has said anything about: of a run that another protocol began. */
[[nodiscard]] boost::json::object default_response_echo(std::string_view model);

/** Metadata that clients give: at most 16 short texts.
 *  @par Errors   `http_error` 400 with the place. */
[[nodiscard]] boost::json::object read_openai_metadata(const value_field& from,
                                                      const boost::json::object& body);

}  // namespace weft::serve_detail
