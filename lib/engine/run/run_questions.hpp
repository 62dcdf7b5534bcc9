#pragma once

#include "engine/visit/open_questions.hpp"

#include <weft/async/task.hpp>
#include <weft/engine/run_request.hpp>
#include <weft/engine/scheduler/effect_journal.hpp>

#include <boost/json/value.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

class node_run;
class parked_question;
struct run_core;

/** The questions of a run and of all runs within its nodes: asked, written into the journal, answered, settled. Only
 *  the outermost run has any.
 *
 *  @par Thread safety   None: on the run's loop only.
 *  @par Lifetimes       The run owns it; the run outlives the tasks.
 */
class run_questions {
public:
    explicit run_questions(run_core& core) noexcept : core_{core} {}
    run_questions(const run_questions&) = delete;
    run_questions& operator=(const run_questions&) = delete;

    void use(std::shared_ptr<effect_journal> journal) noexcept { journal_ = std::move(journal); }
    /** Null if nothing is written down. */
    [[nodiscard]] const std::shared_ptr<effect_journal>& journal() const noexcept { return journal_; }
    /** Takes answers that come with a resume. @par Errors  As `open_questions::give`. */
    void give(const question_answers& answers) { all().give(answers); }

    [[nodiscard]] const std::vector<open_question>& open() { return all().questions(); }
    /** Answers an open question, in the journal first. @par Errors  As `run_handle::answer`. */
    [[nodiscard]] task<answer_state> answer(std::string address, boost::json::value value);
    /** A question was answered elsewhere: the journal has the answer. One that is not open is left alone. */
    void learn_answer(const std::string& address, boost::json::value value);

    /** A node asks, in this run or in one within its nodes, and waits for the answer.
     *  @param asker   The run of the node; it outlives the task, and so does `work`. */
    [[nodiscard]] task<boost::json::value> ask(run_core& asker, node_run& work, std::string address, question asked);
    void begin_wait(parked_question& waiting) { waiting_.push_back(&waiting); }
    void end_wait(parked_question& waiting) { std::erase(waiting_, &waiting); }
    /** The coroutine that asked does not wait any more. */
    void withdraw(std::string_view address) { all().withdraw(address); }

    /** Whether the ends of visits matter. */
    [[nodiscard]] bool is_used() const noexcept { return journal_ || all_; }
    /** A visit is over: what it asked and did is not asked for again. */
    void settle(const std::string& visit);

private:
    [[nodiscard]] open_questions& all();
    [[nodiscard]] task<std::optional<boost::json::value>> ask_journal(std::string address, const question& asked,
                                                                      wall_time& asked_at);
    void hand_over(const std::string& address, const boost::json::value& value);

    run_core& core_;
    std::optional<open_questions> all_;
    std::vector<parked_question*> waiting_;
    std::shared_ptr<effect_journal> journal_;
};

/** Where a visit is that is about to end, if the questions of the run have to hear of its end; else empty. */
[[nodiscard]] std::string visit_to_settle(const run_core& core, branch_index branch);
/** A visit has ended that `visit_to_settle` has named. What it leaves behind is needed only if the run ends with it, to
 *  be resumed from before. */
void settle_visit(run_core& core, const std::string& visit);

}  // namespace weft
