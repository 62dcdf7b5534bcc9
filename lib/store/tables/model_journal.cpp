#include "model_journal.hpp"

#include "run_line.hpp"
#include "store/record/limit_checks.hpp"

#include <algorithm>
#include <utility>

namespace weft::store_detail {

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

void settle_addresses(const model_access& store, thread_row& thread, const std::vector<std::string>& addresses)
{
    for (const std::string& top : addresses) {
        // Addresses below `top` begin with it; so does "a#10" with "a#1", which is not below it.
        for (auto each = thread.effects.lower_bound(top);
             each != thread.effects.end() && each->first.starts_with(top);) {
            if (!is_at_or_below(each->first, top)) {
                ++each;
                continue;
            }
            account(store, thread, -bytes_of_effect(each->second));
            each = thread.effects.erase(each);
        }
        std::erase_if(thread.questions, [&](const question_row& each) {
            if (!is_at_or_below(each.record.address, top)) return false;
            account(store, thread, -bytes_of_question(each.record));
            return true;
        });
    }
}

write_state record_effect(const model_access& store, const write_fence& fence, effect_record effect)
{
    check_limits(effect);
    const write_state state = may_write(store.tables, store.options.flaw, fence, compares::epoch);
    if (state != write_state::ok) return state;
    thread_row& thread = *find_thread(store.tables, fence.thread);
    const auto found = thread.effects.find(effect.address);
    const bool is_there = found != thread.effects.end();
    // An outcome replaces the intent; nothing replaces an outcome.
    if (is_there && (found->second.phase != effect_phase::intended || effect.phase == effect_phase::intended))
        return write_state::duplicate;
    const std::int64_t bytes = bytes_of_effect(effect);
    require_space(store, static_cast<std::uint64_t>(bytes));
    account(store, thread, is_there ? bytes - bytes_of_effect(found->second) : bytes);
    thread.changed = store.at.today;
    effect.epoch = fence.epoch;
    std::string address = effect.address;
    thread.effects.insert_or_assign(std::move(address), std::move(effect));
    return state;
}

write_state ask_question(const model_access& store, const write_fence& fence, question_record question)
{
    check_limits(question);
    const write_state state = may_write(store.tables, store.options.flaw, fence, compares::epoch);
    if (state != write_state::ok) return state;
    thread_row& thread = *find_thread(store.tables, fence.thread);
    const bool is_there = std::any_of(thread.questions.begin(), thread.questions.end(), [&](const auto& each) {
        return each.record.address == question.address;
    });
    if (is_there) return write_state::duplicate;
    // The store decides about these, whatever the caller has filled in.
    question.phase = question_phase::open;
    question.answer.clear();
    question.asked = store.at.today;
    question.answered = wall_time{};
    const std::int64_t bytes = bytes_of_question(question);
    require_space(store, static_cast<std::uint64_t>(bytes));
    account(store, thread, bytes);
    thread.changed = store.at.today;
    thread.questions.push_back({std::move(question), thread.head});
    return state;
}

answer_state answer_question(const model_access& store, const thread_key& thread, const std::string& address,
                             std::string answer)
{
    check_text_limit(answer, "answer");
    thread_row* row = find_thread(store.tables, thread);
    if (!row) return answer_state::unknown;
    const auto found = std::find_if(row->questions.begin(), row->questions.end(),
                                    [&](const auto& each) { return each.record.address == address; });
    if (found == row->questions.end()) return answer_state::unknown;
    question_record& question = found->record;
    const std::string_view top = first_part_of(question.address);
    if (question.phase == question_phase::answered) {
        // The first answer may have come before the run began to wait.
        make_ready_if_answered(store, *row, top);
        return answer_state::already_answered;
    }
    require_space(store, answer.size());
    account(store, *row, static_cast<std::int64_t>(answer.size()));
    question.phase = question_phase::answered;
    question.answer = std::move(answer);
    question.answered = store.at.today;
    make_ready_if_answered(store, *row, top);
    row->changed = store.at.today;
    return answer_state::accepted;
}

}  // namespace weft::store_detail
