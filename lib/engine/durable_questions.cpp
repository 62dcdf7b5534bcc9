#include "durable_part.hpp"

#include <weft/base/json.hpp>
#include <weft/base/json_text.hpp>
#include <weft/graph/question.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

task<std::vector<question_record>> kept_questions(std::shared_ptr<durable_engine::part> self, thread_key thread)
{
    const auto read = [self, thread] { return self->store.questions(thread); };
    auto reading = patiently(self, read);
    co_return co_await std::move(reading);
}

[[noreturn]] void refuse_answer(const std::vector<question_record>& asked, const std::string& address)
{
    std::string open;
    for (const question_record& each : asked) {
        if (each.address == address)
            throw error{errc::unknown_question, address, "it has an answer already, which stands"};
        if (each.phase == question_phase::open) open.append(open.empty() ? "" : ", ").append(each.address);
    }
    throw error{errc::unknown_question, address, open.empty() ? "none is open" : "open are " + open};
}

/** Throws if an answer has no open question that it fits. */
void check_answers(const std::vector<question_record>& asked, const question_answers& answers)
{
    for (const auto& [address, answer] : answers) {
        const auto found = std::find_if(asked.begin(), asked.end(), [&address = address](const auto& each) {
            return each.address == address && each.phase == question_phase::open;
        });
        if (found == asked.end()) refuse_answer(asked, address);
        check_answer(question_from_json(parse_json(found->question)), answer, address);
    }
}

/** Whether the question has this answer now: ours, if another try was made after an answer that was lost. */
bool has_answer(const std::vector<question_record>& asked, const std::string& address, const std::string& answer)
{
    return std::any_of(asked.begin(), asked.end(), [&](const question_record& each) {
        return each.address == address && each.phase == question_phase::answered && each.answer == answer;
    });
}

}  // namespace

task<void> durable_engine::part::answer(std::shared_ptr<part> self, thread_key thread, question_answers answers)
{
    if (answers.empty()) co_return;
    task<std::vector<question_record>> reading = kept_questions(self, thread);
    const std::vector<question_record> asked = co_await std::move(reading);
    check_answers(asked, answers);
    for (const auto& [address, value] : answers) {
        const std::string text = to_json_text(value);
        const auto tell = [self, thread, address = address, text] { return self->store.answer(thread, address, text); };
        auto telling = patiently(self, tell);
        const answer_state state = co_await std::move(telling);
        if (state == answer_state::accepted) continue;
        task<std::vector<question_record>> again = kept_questions(self, thread);
        const std::vector<question_record> now = co_await std::move(again);
        if (!has_answer(now, address, text)) refuse_answer(now, address);
    }
}

task<std::vector<open_question>> durable_engine::part::questions(std::shared_ptr<part> self, thread_key thread)
{
    task<std::vector<question_record>> reading = kept_questions(self, std::move(thread));
    const std::vector<question_record> asked = co_await std::move(reading);
    std::vector<open_question> open;
    for (const question_record& each : asked)
        if (each.phase == question_phase::open)
            open.emplace_back(each.address, question_from_json(parse_json(each.question)), each.asked);
    co_return open;
}

}  // namespace weft
