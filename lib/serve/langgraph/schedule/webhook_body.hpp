#pragma once

#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/store/service/webhook_outbox.hpp>

#include <boost/json/object.hpp>

namespace weft::serve_detail {

/** What a webhook is told about the end of a run: the run, when it began and ended, the values of its thread, and what
 *  went wrong. Of a run that is no longer there, what its message says; of a message that is about no run, its payload.
 *  @param of       Of the outbox, as the store made it.
 *  @par Lifetimes  The core outlives the task.
 *  @par Source     LangGraph's Agent Server, "Use webhooks". */
[[nodiscard]] task<boost::json::object> webhook_body(serve_core& core, outbox_message of);

}  // namespace weft::serve_detail
