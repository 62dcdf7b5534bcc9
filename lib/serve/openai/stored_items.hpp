#pragma once

#include "conversation_input.hpp"
#include "serve/http/api_call.hpp"
#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/chat/message.hpp>
#include <weft/store/record/run_record.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <memory>
#include <string>
#include <vector>

namespace weft::serve_detail {

/** A message as items of Responses: its text and images are one, each of its calls is another one. */
void append_items(boost::json::array& items, const message& from);

/** What a response was given, with all that was said before in its conversation; the oldest first. */
[[nodiscard]] task<boost::json::array> input_items_of(serve_core& core, run_record run,
                                                      std::shared_ptr<const hosted_graph> graph);

/** A page of items as the queries `order`, `after` and `limit` ask for it. @param items  The oldest first.
 *  @par Errors   `http_error` 422. */
[[nodiscard]] boost::json::object page_of_items(boost::json::array items, const api_call& call);

/** Messages as a conversation of a graph takes them: in LangChain's form, with `role`. */
[[nodiscard]] boost::json::array wire_messages(const std::vector<message>& from);

/** Messages of a thread that no graph has yet: its first run takes them. */
[[nodiscard]] std::vector<message> pending_messages(const stored_thread& of);
[[nodiscard]] task<void> keep_pending_messages(serve_core& core, thread_key thread, boost::json::array messages);

/** Puts messages that wait in a thread before what a turn says. */
void put_before(boost::json::array pending, conversation_input& input);

}  // namespace weft::serve_detail
