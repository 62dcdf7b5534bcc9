#pragma once

#include <weft/async/task.hpp>
#include <weft/store/record/journal.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** Where a run writes down its effects and questions before they leave it: what `node_context::once` and
 *  `node_context::interrupt` find again on a further attempt, a resume, or in another process.
 *
 *  An address names nodes with visits and a place in the visit: `outer#1/plan#2/charge#0`; see `visit_address`. Entries
 *  below a visit (those that begin with its address and "/") count until the run settles it.
 *
 *  The run awaits `record` and `ask` before it goes on, so what they return from is kept; an error fails the node that
 *  asked. At most one call for one address is under way.
 *
 *  @par Thread safety   Called on the run's loop.
 *  @par Lifetimes       The run shares ownership; tasks that it gave out hold what they need.
 */
class effect_journal {
public:
    virtual ~effect_journal() = default;

    /** What makes the run's idempotency keys its own: a text with tenant, thread and run, the same for every attempt,
     *  resume and process of this run and for no other run. */
    [[nodiscard]] virtual std::string_view scope() const noexcept = 0;

    /** What is known of an effect; nothing if it was never begun. */
    [[nodiscard]] virtual task<std::optional<effect_record>> find(std::string address) = 0;
    /** Keeps an intent, or an outcome in the place of its intent. An outcome may also follow a failure. */
    [[nodiscard]] virtual task<void> record(effect_record effect) = 0;

    /** Keeps a question, unless its address has one.
     *  @return   The recorded question: with its answer if one was given, in whichever process. */
    [[nodiscard]] virtual task<question_record> ask(question_record question) = 0;
    /** Answers a recorded question, once. A run that gets `already_answered` goes on with the answer that `ask`
     *  gives. */
    [[nodiscard]] virtual task<answer_state> answer(std::string address, std::string answer) = 0;

    /** A visit is over: what lies below it is not asked for again and may be dropped, at the latest with the checkpoint
     *  that says that the visit is over (`checkpoint_draft::settled`), not before. Called right before that moment's
     *  `save`. Visits of graphs inside nodes are settled with the visit of the outermost node. */
    virtual void settle(std::string_view visit) = 0;
};

}  // namespace weft
