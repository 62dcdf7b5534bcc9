#pragma once

#include <weft/agent/conversation/summary_plan.hpp>
#include <weft/async/task.hpp>
#include <weft/model/chat_model.hpp>

#include <memory>

namespace weft {

/** Has a model write a summary: up to `attempts_max` calls, each with its timeout, with pauses between them. A failure
 *  that will not pass ends it at once.
 *
 *  Runs beside the turns of a node, as a child of its scope; what it gives goes to `summary_plan::finish`.
 *
 *  @param job     Of `summary_plan::start`.
 *  @param model   Not null.
 *  @return        A model that failed, whatever it threw, is a summary without text.
 *
 *  @par Errors          `errc::cancelled`.
 *  @par Cancellation    Closes the connection of the model, or ends the pause.
 */
[[nodiscard]] task<written_summary> write_summary(std::shared_ptr<chat_model> model, summary_job job,
                                                  summary_rules rules);

}  // namespace weft
