#pragma once

#include "openai_orders.hpp"
#include "response_request.hpp"
#include "response_view.hpp"

#include <weft/async/task.hpp>

#include <boost/json/array.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace weft::serve_detail {

/** A response that was begun. */
struct begun_response_run {
    begun_response_run() {}

    begun_turn turn = {};
    response_frame frame = {};
};

/** For `request_claim::hold`. */
[[nodiscard]] begun_request begun_by(const begun_response_run& begun);

/** Begins what a request asks for: in the thread of its conversation, behind the response before it, in a thread of its
 *  own, or without one.
 *
 *  One that is not stored gets all that was said before as its input. A response that others have followed already is
 *  followed in a copy of its thread, from where it ended.
 *
 *  @par Errors   `http_error`, as `order_turn`; 400 `previous_response_not_found`; 404 `conversation_not_found`; 409
 *                `response_in_progress`. */
[[nodiscard]] task<begun_response_run> begin_response(serve_core& core, api_call& call, response_request request);

/** The same, and waits until the store has the run: of a response that can be found again at once, as it was told. */
[[nodiscard]] task<begun_response_run> enter_response(serve_core& core, api_call& call, response_request request);

/** A response that a request has begun before.
 *  @par Errors  `http_error` 404: it is gone. */
[[nodiscard]] task<begun_response_run> begun_before(serve_core& core, api_call& call, begun_request known);

/** All that was said up to the end of a stored response, in LangChain's form.
 *  @par Errors   `http_error` 400 `previous_response_not_found`. */
[[nodiscard]] task<boost::json::array> messages_of_response(serve_core& core, api_call& call, std::string id);

/** Seconds since 1970 by the clock of a core, which outlives the function. */
[[nodiscard]] std::function<std::int64_t()> seconds_of(serve_core& core);

/** A response that was begun before, by whichever protocol. */
struct known_response {
    known_response() {}

    run_record run = {};
    std::shared_ptr<const hosted_graph> graph = {};  ///< Null: the server does not have it any more.
    response_frame frame = {};
    bool owns_thread = false;                        ///< The thread was made for it and those that follow it.
    run_follower follower = {};
};

/** @par Errors  `http_error` 404: there is none of this id for the caller. */
[[nodiscard]] task<known_response> require_response(serve_core& core, api_call& call, std::string id);

/** A response as it stands now. */
[[nodiscard]] task<boost::json::object> view_response(serve_core& core, known_response of);

}  // namespace weft::serve_detail
