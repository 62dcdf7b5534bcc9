#pragma once

#include "assistants.hpp"
#include "serve/run/run_launcher.hpp"
#include "serve/wire/run_body.hpp"

#include <weft/async/task.hpp>

#include <string>

namespace weft::serve_detail {

/** @par Errors   `http_error` 422: the server sends nothing to the webhook of the body. */
void check_webhook(const serve_core& core, const run_body& body);

/** What a body orders in a thread. The thread is made if the body says so.
 *  @par Errors   `http_error`: 404 no such thread or checkpoint; 409 the thread is busy and the body rejects that;
 *                422 the body does not fit the graph, or answers questions that are not open. */
[[nodiscard]] task<run_order> order_in_thread(serve_core& core, thread_key thread, run_body body);

/** A run as a client is told of it before the store has it. */
[[nodiscard]] run_record ordered_record(const serve_core& core, const run_order& order);

/** What a body orders without a thread. @param is_kept  Whether it gets a thread of its own. */
[[nodiscard]] task<run_order> order_alone(serve_core& core, std::string tenant, run_body body, bool is_kept);

}  // namespace weft::serve_detail
