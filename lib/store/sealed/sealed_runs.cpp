#include <weft/store/sealed_store.hpp>

#include "armour.hpp"

#include <utility>

namespace weft {

namespace {

using sealed_detail::armour_mark;
using sealed_detail::open_json;
using sealed_detail::open_text;
using sealed_detail::seal_as_json;
using sealed_detail::seal_as_text;

sealed_place place_of_run(std::string_view what, const thread_key& thread, run_id run)
{
    return sealed_place{what}.part(thread.tenant).part(thread.thread).part(run.text());
}

sealed_place place_of_question(std::string_view what, const thread_key& thread, std::string_view address)
{
    return sealed_place{what}.part(thread.tenant).part(thread.thread).part(address);
}

/** Phase and key as well: an intent is no outcome, and neither belongs to another idempotency key. */
sealed_place place_of_effect(const thread_key& thread, const effect_record& effect)
{
    return sealed_place{"effect"}
        .part(thread.tenant)
        .part(thread.thread)
        .part(effect.address)
        .part(name_of(effect.phase))
        .part(effect.key);
}

}  // namespace

run_claim sealed_store::opened(run_claim claim) const
{
    claim.input = open_json(*cipher_, claim.input, place_of_run("input of run", claim.fence.thread, claim.fence.run));
    return claim;
}

run_record sealed_store::opened(run_record record) const
{
    record.input = open_json(*cipher_, record.input, place_of_run("input of run", record.thread, record.id));
    // The store below writes messages of its own, which hold nothing of ours.
    if (record.message.starts_with(armour_mark))
        record.message = open_text(*cipher_, record.message, place_of_run("message of run", record.thread, record.id));
    return record;
}

task<run_admission> sealed_store::enqueue(new_run run)
{
    run.input = seal_as_json(*cipher_, run.input, place_of_run("input of run", run.thread, run.id));
    run_admission admission = co_await inner_->enqueue(std::move(run));
    if (admission.claim) admission.claim = opened(std::move(*admission.claim));
    co_return admission;
}

task<std::vector<run_claim>> sealed_store::claim(worker_id worker, std::size_t max)
{
    std::vector<run_claim> claims = co_await inner_->claim(worker, max);
    for (run_claim& claim : claims) claim = opened(std::move(claim));
    co_return claims;
}

task<std::optional<run_claim>> sealed_store::resume(worker_id worker, run_id run)
{
    std::optional<run_claim> claim = co_await inner_->resume(worker, run);
    if (claim) claim = opened(std::move(*claim));
    co_return claim;
}

task<write_state> sealed_store::finish(write_fence fence, run_outcome outcome)
{
    if (!outcome.message.empty())
        outcome.message =
            seal_as_text(*cipher_, outcome.message, place_of_run("message of run", fence.thread, fence.run));
    return inner_->finish(std::move(fence), std::move(outcome));
}

task<std::optional<run_record>> sealed_store::find_run(run_id run)
{
    std::optional<run_record> record = co_await inner_->find_run(run);
    if (record) record = opened(std::move(*record));
    co_return record;
}

task<std::optional<run_record>> sealed_store::active_run(thread_key thread)
{
    std::optional<run_record> record = co_await inner_->active_run(std::move(thread));
    if (record) record = opened(std::move(*record));
    co_return record;
}

task<write_state> sealed_store::record(write_fence fence, effect_record effect)
{
    effect.body = seal_as_json(*cipher_, effect.body, place_of_effect(fence.thread, effect));
    return inner_->record(std::move(fence), std::move(effect));
}

task<std::vector<effect_record>> sealed_store::effects(thread_key thread)
{
    std::vector<effect_record> found = co_await inner_->effects(thread);
    for (effect_record& effect : found)
        effect.body = open_json(*cipher_, effect.body, place_of_effect(thread, effect));
    co_return found;
}

task<write_state> sealed_store::ask(write_fence fence, question_record question)
{
    question.question = seal_as_json(*cipher_, question.question,
                                     place_of_question("question", fence.thread, question.address));
    return inner_->ask(std::move(fence), std::move(question));
}

task<answer_state> sealed_store::answer(thread_key thread, std::string address, std::string answer)
{
    std::string sealed = seal_as_json(*cipher_, answer, place_of_question("answer", thread, address));
    return inner_->answer(std::move(thread), std::move(address), std::move(sealed));
}

task<std::vector<question_record>> sealed_store::questions(thread_key thread)
{
    std::vector<question_record> found = co_await inner_->questions(thread);
    for (question_record& one : found) {
        one.question = open_json(*cipher_, one.question, place_of_question("question", thread, one.address));
        if (one.phase == question_phase::open) continue;
        one.answer = open_json(*cipher_, one.answer, place_of_question("answer", thread, one.address));
    }
    co_return found;
}

}  // namespace weft
