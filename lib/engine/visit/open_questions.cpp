#include "open_questions.hpp"

#include <weft/base/error.hpp>

#include "visit_address.hpp"

#include <algorithm>
#include <utility>

namespace weft {

const open_question* open_questions::find(std::string_view address) const noexcept
{
    for (const open_question& one : questions())
        if (one.address == address) return &one;
    return nullptr;
}

const std::vector<open_question>& open_questions::questions() const noexcept
{
    static const std::vector<open_question> none;
    return where_.extras ? where_.extras->questions : none;
}

std::optional<boost::json::value> open_questions::answer_for(const std::string& address, const question& asked)
{
    if (!where_.extras) return std::nullopt;
    question_answers& answers = where_.extras->answers;
    const auto given = answers.find(address);
    if (given == answers.end()) return std::nullopt;
    try {
        check_answer(asked, given->second, address);
        return given->second;
    } catch (const error& wrong) {
        refused_ = {address, wrong.what()};
    }
    // The graph may have changed since: the question is asked again, with what was wrong.
    answers.erase(given);
    return std::nullopt;
}

wall_time open_questions::open(const std::string& address, const question& asked, wall_time now)
{
    std::vector<open_question>& all = where_.extra().questions;
    auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.address == address; });
    if (found == all.end()) found = all.emplace(all.end(), address, asked, now);
    found->asked = asked;
    if (refused_.first == address) found->refused = std::move(refused_.second);
    refused_ = {};
    return found->asked_at;
}

void open_questions::put(const std::string& address, boost::json::value value)
{
    where_.extra().answers.emplace(address, std::move(value));
    withdraw(address);
}

bool open_questions::was_answered(const std::string& address) const
{
    if (where_.extras && where_.extras->answers.contains(address)) return true;
    return std::find(settled_.begin(), settled_.end(), address) != settled_.end();
}

answer_state open_questions::check(const std::string& address, const boost::json::value& value) const
{
    if (const open_question* const one = find(address)) {
        check_answer(one->asked, value, address);
        return answer_state::accepted;
    }
    if (was_answered(address)) return answer_state::already_answered;
    refuse_unknown(address);
}

answer_state open_questions::answer(const std::string& address, boost::json::value value)
{
    const answer_state state = check(address, value);
    if (state != answer_state::accepted) return state;
    put(address, std::move(value));
    return state;
}

void open_questions::give(const question_answers& answers)
{
    // Before the nodes have asked again nothing is known that an answer could be checked against.
    if (questions().empty() && !(where_.extras && !where_.extras->answers.empty())) {
        where_.extra().answers = answers;
        return;
    }
    for (const auto& [address, value] : answers) {
        if (check(address, value) == answer_state::accepted) continue;
        const auto given = where_.extras->answers.find(address);
        if (given == where_.extras->answers.end() || given->second != value)
            throw error{errc::unknown_question, address, "it has another answer already, and the first one counts"};
    }
    // All are checked before the first one counts.
    for (const auto& [address, value] : answers) (void)answer(address, value);
}

void open_questions::withdraw(std::string_view address)
{
    if (!where_.extras) return;
    std::erase_if(where_.extras->questions, [&](const open_question& one) { return one.address == address; });
}

void open_questions::settle(std::string_view visit)
{
    if (!where_.extras) return;
    frontier_extras& extra = *where_.extras;
    std::erase_if(extra.questions, [&](const open_question& one) { return is_below(one.address, visit); });
    std::erase_if(extra.answers, [&](const auto& entry) {
        if (!is_below(entry.first, visit)) return false;
        settled_.push_back(entry.first);
        return true;
    });
    // A late answer to a question that is over is told apart from one to no question; not for ever.
    while (settled_.size() > remembered_max) settled_.pop_front();
}

void open_questions::refuse_unknown(const std::string& address) const
{
    std::string list;
    for (const open_question& one : questions()) list.append(list.empty() ? "" : ", ").append("'" + one.address + "'");
    throw error{errc::unknown_question, address,
                list.empty() ? "no question is open" : "these questions are open: " + list};
}

}  // namespace weft
