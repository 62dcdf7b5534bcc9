#include <weft/store/record/store_model.hpp>

#include "limit_checks.hpp"

#include <algorithm>

namespace weft {

namespace {

std::int64_t bytes_of_effect(const effect_record& effect)
{
    return static_cast<std::int64_t>(effect.address.size() + effect.key.size() + effect.body.size());
}

std::int64_t bytes_of_question(const question_record& question)
{
    return static_cast<std::int64_t>(question.address.size() + question.question.size() + question.answer.size());
}

}  // namespace

void store_model::settle(thread_row& thread, const std::vector<std::string>& addresses)
{
    for (const std::string& top : addresses) {
        for (auto each = thread.effects.lower_bound(top);
             each != thread.effects.end() && each->first.starts_with(top);) {
            if (!is_at_or_below(each->first, top)) {
                ++each;
                continue;
            }
            account(thread, -bytes_of_effect(each->second));
            each = thread.effects.erase(each);
        }
        std::erase_if(thread.questions, [&](const store_detail::question_row& each) {
            if (!is_at_or_below(each.record.address, top)) return false;
            account(thread, -bytes_of_question(each.record));
            return true;
        });
    }
}

write_state store_model::record(const write_fence& fence, effect_record effect, store_moment at)
{
    check_limits(effect);
    const write_state state = may_write(fence, compares::epoch);
    if (state != write_state::ok) return state;
    thread_row& thread = *find_thread(fence.thread);
    const auto found = thread.effects.find(effect.address);
    const bool is_there = found != thread.effects.end();
    if (is_there && (found->second.phase != effect_phase::intended || effect.phase == effect_phase::intended))
        return write_state::duplicate;
    const std::int64_t bytes = bytes_of_effect(effect);
    require_space(static_cast<std::uint64_t>(bytes));
    account(thread, is_there ? bytes - bytes_of_effect(found->second) : bytes);
    thread.changed = at.today;
    effect.epoch = fence.epoch;
    std::string address = effect.address;
    thread.effects.insert_or_assign(std::move(address), std::move(effect));
    return state;
}

std::vector<effect_record> store_model::effects(const thread_key& thread) const
{
    std::vector<effect_record> found;
    const thread_row* row = find_thread(thread);
    if (!row) return found;
    for (const auto& [address, effect] : row->effects) found.push_back(effect);
    return found;
}

write_state store_model::ask(const write_fence& fence, question_record question, store_moment at)
{
    check_limits(question);
    const write_state state = may_write(fence, compares::epoch);
    if (state != write_state::ok) return state;
    thread_row& thread = *find_thread(fence.thread);
    const bool is_there = std::any_of(thread.questions.begin(), thread.questions.end(), [&](const auto& each) {
        return each.record.address == question.address;
    });
    if (is_there) return write_state::duplicate;
    question.phase = question_phase::open;
    question.answer.clear();
    question.asked = at.today;
    question.answered = wall_time{};
    const std::int64_t bytes = bytes_of_question(question);
    require_space(static_cast<std::uint64_t>(bytes));
    account(thread, bytes);
    thread.changed = at.today;
    thread.questions.push_back({std::move(question), thread.head});
    return state;
}

answer_state store_model::answer(const thread_key& thread, const std::string& address, std::string answer,
                                 store_moment at)
{
    check_text_limit(answer, "answer");
    thread_row* row = find_thread(thread);
    if (!row) return answer_state::unknown;
    const auto found = std::find_if(row->questions.begin(), row->questions.end(),
                                    [&](const auto& each) { return each.record.address == address; });
    if (found == row->questions.end()) return answer_state::unknown;
    question_record& question = found->record;
    const std::string_view top = first_part_of(question.address);
    if (question.phase == question_phase::answered) {
        make_ready_if_answered(*row, top);
        return answer_state::already_answered;
    }
    require_space(answer.size());
    account(*row, static_cast<std::int64_t>(answer.size()));
    question.phase = question_phase::answered;
    question.answer = std::move(answer);
    question.answered = at.today;
    make_ready_if_answered(*row, top);
    row->changed = at.today;
    return answer_state::accepted;
}

std::vector<question_record> store_model::questions(const thread_key& thread) const
{
    std::vector<question_record> found;
    const thread_row* row = find_thread(thread);
    if (!row) return found;
    for (const store_detail::question_row& each : row->questions) found.push_back(each.record);
    return found;
}

}  // namespace weft
