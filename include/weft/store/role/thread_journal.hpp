#pragma once

#include <weft/async/task.hpp>
#include <weft/store/record/journal.hpp>
#include <weft/store/record/run_record.hpp>
#include <weft/store/record/thread_key.hpp>

#include <string>
#include <vector>

namespace weft {

/** Keeps the effects and questions of the node visits that are under way, by address, until a checkpoint settles them.
 *
 *  Errors, cancellation, thread safety and lifetimes are those of `checkpoint_store`.
 */
class thread_journal {
public:
    virtual ~thread_journal() = default;

    /** Writes an effect's intent or outcome. An outcome replaces the intent of its address; a further intent or outcome
     *  of an address that has one is `duplicate`. */
    [[nodiscard]] virtual task<write_state> record(write_fence fence, effect_record effect) = 0;
    /** All effects of a thread that are not settled, by address. */
    [[nodiscard]] virtual task<std::vector<effect_record>> effects(thread_key thread) = 0;
    /** Asks a question; `duplicate` if its address is in use. */
    [[nodiscard]] virtual task<write_state> ask(write_fence fence, question_record question) = 0;
    /** Answers it, from any process, once. In the same transaction the thread's run that waits becomes ready, if no
     *  question is open any more whose address has the same first part, up to '/'; the engine puts a run's id there.
     *  With `already_answered`, too. */
    [[nodiscard]] virtual task<answer_state> answer(thread_key thread, std::string address, std::string answer) = 0;
    /** All questions of a thread that are not settled, oldest first. */
    [[nodiscard]] virtual task<std::vector<question_record>> questions(thread_key thread) = 0;
};

}  // namespace weft
