#pragma once

#include <weft/async/task.hpp>
#include <weft/engine/run_request.hpp>
#include <weft/engine/scheduler/open_question.hpp>
#include <weft/store/record/run_record.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace weft {

struct durable_core;

/** The questions and effects of a thread's present run in the store, or of the one that the next run goes on with.
 *
 *  @par Lifetimes   The core outlives it, and it its tasks.
 */
class thread_questions {
public:
    explicit thread_questions(durable_core& core) noexcept : core_{core} {}

    /** Checks answers against the open questions. @return  The run whose address the questions have; nil if there is
     *  nothing to answer. @par Errors  `unknown_question`, `invalid_answer`. */
    [[nodiscard]] task<run_id> check(thread_key thread, question_answers answers) const;
    /** Writes answers into the store, after `check`. A run that waits in the store is ready when nothing is open any
     *  more; one that is active here gets them soon. */
    [[nodiscard]] task<void> record(thread_key thread, run_id origin, question_answers answers) const;
    /** Both. */
    [[nodiscard]] task<void> answer(thread_key thread, question_answers answers) const;
    /** Answers the questions that wait for an event. @par Errors  As `durable_engine::deliver_event`. */
    [[nodiscard]] task<void> deliver(thread_key thread, std::string event, boost::json::value payload) const;
    [[nodiscard]] task<std::vector<open_question>> open(thread_key thread) const;
    [[nodiscard]] task<std::vector<effect_record>> effects(thread_key thread) const;

private:
    /** Records of a journal whose addresses begin with one run. */
    template <class Record>
    struct run_records {
        run_id origin;  ///< The run that began to count the visits.
        std::vector<Record> own;
    };

    [[nodiscard]] task<run_records<question_record>> read_questions(thread_key thread) const;
    /** @par Errors  `thread_not_found` unless the thread has a run or a checkpoint. */
    [[nodiscard]] task<void> require_thread(thread_key thread) const;
    /** @par Errors  `unknown_question` unless the question has this answer. */
    [[nodiscard]] task<void> require_answer(thread_key thread, std::string address, std::string answer) const;
    template <class Record>
    [[nodiscard]] task<run_records<Record>> read_own(thread_key thread, std::vector<Record> all) const;

    durable_core& core_;
};

}  // namespace weft
