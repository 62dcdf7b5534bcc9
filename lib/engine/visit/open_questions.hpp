#pragma once

#include <weft/engine/scheduler/frontier.hpp>
#include <weft/engine/scheduler/open_question.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** The questions of a run that are open, and the answer that each has: asked → answered → settled with its visit.
 *
 *  It touches no socket, timer or coroutine. What it knows lies in the frontier, so that a copy of that has it too.
 *
 *  @par Thread safety   None.
 *  @par Lifetimes       The frontier outlives it.
 */
class open_questions {
public:
    /** Addresses that are remembered as answered when their visits are over. */
    static constexpr std::size_t remembered_max = 1024;

    explicit open_questions(frontier& where) noexcept : where_{where} {}

    /** The answer that was given before to what is about to be asked. One that does not fit is dropped, and the
     *  question says so when it is opened. */
    [[nodiscard]] std::optional<boost::json::value> answer_for(const std::string& address, const question& asked);
    /** A coroutine asks. One that asks again after a resume finds its question.
     *  @return   When it was first asked. */
    wall_time open(const std::string& address, const question& asked, wall_time now);
    /** An answer was given elsewhere. */
    void put(const std::string& address, boost::json::value value);

    /** A question is answered.
     *  @return              `accepted` or `already_answered`.
     *  @par Errors          `unknown_question`, listing the open ones; `invalid_answer`: the question stays open. */
    answer_state answer(const std::string& address, boost::json::value value);
    /** The same without taking the answer. */
    [[nodiscard]] answer_state check(const std::string& address, const boost::json::value& value) const;

    /** Answers that come with a resume. If no question is open, an answer is stored and applied when its question is
     *  asked.
     *  @par Errors          As `answer`, and `unknown_question` for one that has another answer; then none was
     *                       taken. */
    void give(const question_answers& answers);

    /** The coroutine does not wait any more. */
    void withdraw(std::string_view address);
    /** A visit is over: its questions and answers are of no use any more. */
    void settle(std::string_view visit);

    /** Null if it is not open. */
    [[nodiscard]] const open_question* find(std::string_view address) const noexcept;
    [[nodiscard]] const std::vector<open_question>& questions() const noexcept;

private:
    [[noreturn]] void refuse_unknown(const std::string& address) const;
    [[nodiscard]] bool was_answered(const std::string& address) const;

    frontier& where_;
    std::deque<std::string> settled_;                // addresses that had answers
    std::pair<std::string, std::string> refused_;    // an address, and why its answer was not taken
};

}  // namespace weft
