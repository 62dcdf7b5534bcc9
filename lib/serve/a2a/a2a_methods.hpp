#pragma once

#include "a2a_push.hpp"
#include "a2a_request.hpp"
#include "a2a_writer.hpp"
#include "serve/http/api_call.hpp"
#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>

#include <boost/json/object.hpp>

#include <string>

namespace weft::serve_detail {

/** A call of a method, whatever binding it came by. */
struct a2a_method_call {
    a2a_method_call() {}

    std::string method = {};           ///< Its name in 1.0.
    boost::json::object params = {};
    std::string agent = {};            ///< The assistant of the path; empty: the message says it.
    a2a_envelope envelope = {};
};

/** Carries a call out and answers it: a result in its envelope, or a stream of events.
 *  @par Errors      `http_error`, as long as nothing was answered.
 *  @par Lifetimes   Core, call and sender outlive the task. */
[[nodiscard]] task<void> answer_a2a_method(serve_core& core, a2a_push_sender& pushes, api_call& call,
                                           a2a_method_call asked);

}  // namespace weft::serve_detail
