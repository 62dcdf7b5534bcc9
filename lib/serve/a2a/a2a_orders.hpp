#pragma once

#include "a2a_request.hpp"
#include "a2a_task.hpp"
#include "serve/order/request_claim.hpp"
#include "serve/order/run_following.hpp"

#include <weft/async/task.hpp>

#include <string>

namespace weft::serve_detail {

/** A task of the tenant.
 *  @par Errors   `http_error` `task_not_found`. */
[[nodiscard]] task<run_record> require_a2a_task(serve_core& core, std::string tenant, std::string id);

/** A task that a message has begun, or has answered. */
struct a2a_begun {
    a2a_begun() {}

    run_follower follower = {};  ///< From where the client knows nothing of it.
    a2a_task task = {};
    bool is_answer = false;
    bool is_known = false;       ///< The same message came before.
};

/** For `request_claim::hold`. */
[[nodiscard]] begun_request begun_by(const a2a_begun& begun);

/** Carries a message out: begins a run, or answers the questions of the one that it names. A message that comes again
 *  within ten minutes, as clients send it that have lost their connection, finds the task of the first one.
 *
 *  @param agent   An assistant, or the name of a graph; empty: that of the task which the message goes to.
 *  @par Errors    `http_error`: `task_not_found`; `unsupported_operation` if the task is over or at work;
 *                 those of `a2a_answers`; `content_type_not_supported`; those of `order_in_thread`. */
[[nodiscard]] task<a2a_begun> begin_a2a_task(serve_core& core, std::string tenant, std::string agent,
                                             a2a_message message);

}  // namespace weft::serve_detail
