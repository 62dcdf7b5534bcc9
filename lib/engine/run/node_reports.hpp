#pragma once

#include <weft/engine/scheduler/frontier.hpp>
#include <weft/graph/node_context.hpp>

#include <exception>
#include <string>

namespace weft {

struct run_core;

/** The ways in which the visit of a node ends. Each tells the scheduler and those who watch the run, and settles what
 *  the visit has asked and done. `context` is that of the visit; what it has written goes to the scheduler. */

/** The node has returned `answer`, which may still make it a failure. */
void report_answer(run_core& core, branch_index branch, node_context& context, command&& answer);
/** The node has returned no answer, as most do. */
void report_nothing(run_core& core, branch_index branch, node_context& context);
/** The same of one that `ends_straight` and has not written anything, in a run without watchers and extras: its context
 *  may be gone. */
void report_bare(run_core& core, branch_index branch);
/** It has returned an answer that has passed all checks, and whose writes are as they are to be. */
void report_success(run_core& core, branch_index branch, node_context& context, command&& answer);
/** @param may_retry   False if another attempt is of no use. */
void report_failure(run_core& core, branch_index branch, node_context& context, failure_ptr cause, bool may_retry);
void report_exception(run_core& core, branch_index branch, node_context& context, const std::exception_ptr& cause,
                      bool may_retry);
/** It has ended because it was asked to stop. */
void report_stopped(run_core& core, branch_index branch, node_context& context);

/** A failure whose message names node, visit and attempt. */
[[nodiscard]] failure_ptr make_failure(const node_context& context, errc code, std::string detail,
                                       std::exception_ptr cause = nullptr);

}  // namespace weft
