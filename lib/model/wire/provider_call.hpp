#pragma once

#include <weft/async/task.hpp>
#include <weft/model/chat_reply.hpp>
#include <weft/model/chat_request.hpp>
#include <weft/model/chat_sink.hpp>

#include "provider.hpp"

namespace weft::model_detail {

/** Asks a provider once: sends the request, judges the response by its status first, then by its content type, then by
 *  its body, and reads the reply as fast as the sink takes it. What little follows the end of a reply is read too, so
 *  that the connection can serve the next call.
 *
 *  With a source of keys, a response with status 401 makes it ask for another key and send the request once more.
 *
 *  @par Errors
 *    - `model_error` with `model_phase::request`    nothing of a response came, or there is no key.
 *    - `model_error` with `model_phase::response`   the response is no reply: what `response_failure` says.
 *    - those of the `reply_reader`, and of the sink and of `written_request` as they are.
 *  @par Cancellation    Closes the connection.
 *  @par Lifetimes       The provider and the sink outlive it. */
[[nodiscard]] task<chat_reply> ask_provider(const provider& from, chat_request request, chat_sink& sink);

}  // namespace weft::model_detail
