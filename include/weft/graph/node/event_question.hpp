#pragma once

#include <weft/graph/node/question.hpp>

#include <string>
#include <string_view>

namespace weft {

/** Whether a text can name an event: 1 to 64 letters, digits, `_`, `-` and `.`. */
[[nodiscard]] bool is_event_name(std::string_view name) noexcept;

/** The question by which a node waits for a named event from outside; the answer is what comes with the event.
 *
 *      weft::question paid = weft::question_for_event("paid");
 *      const boost::json::value receipt = co_await ctx.interrupt(std::move(paid));
 *
 *  `durable_engine::deliver_event` answers it, from any process. Its name is `event:<name>`, so that its address is
 *  `order#1/event:paid#0`. Any JSON is an answer, until a `schema` says more.
 *
 *  @param name   An `is_event_name`. */
[[nodiscard]] question question_for_event(std::string_view name);

/** The event that the question of an address waits for; empty if it is another question. */
[[nodiscard]] std::string_view event_at(std::string_view address) noexcept;

}  // namespace weft
