#include "store_journal.hpp"

#include "store_call.hpp"

#include <weft/async/sleep.hpp>
#include <weft/engine/visit_address.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace weft {

store_journal::store_journal(checkpoint_store& store, std::shared_ptr<thread_keeper> keeper)
    : store_{store}, keeper_{std::move(keeper)}
{
    const write_fence& fence = keeper_->fence();
    scope_ = fence.thread.tenant + "/" + fence.thread.thread + "/" + fence.run.text();
}

/** Throws if the thread is somebody else's. */
void store_journal::check_held(write_state state)
{
    if (state == write_state::fenced || state == write_state::stale_head) keeper_->lose();
    if (keeper_->is_lost())
        throw error{errc::thread_lost, "thread '" + keeper_->fence().thread.thread + "'",
                    "what this run had not written down yet counts no more"};
}

task<void> store_journal::load(self_ptr self)
{
    if (self->is_loaded_) co_return;
    task<std::vector<effect_record>> reading = self->store_.effects(self->keeper_->fence().thread);
    std::vector<effect_record> all = co_await std::move(reading);
    if (std::exchange(self->is_loaded_, true)) co_return;  // another node was quicker
    for (effect_record& each : all) {
        std::string address = each.address;
        self->keeper_->note_open(address);
        self->effects_.insert_or_assign(std::move(address), std::move(each));
    }
}

task<std::optional<effect_record>> store_journal::find(std::string address)
{
    return find_in(shared_from_this(), std::move(address));
}

task<std::optional<effect_record>> store_journal::find_in(self_ptr self, std::string address)
{
    task<void> loading = load(self);
    co_await std::move(loading);
    const auto found = self->effects_.find(address);
    if (found == self->effects_.end()) co_return std::nullopt;
    co_return found->second;
}

task<void> store_journal::record(effect_record effect) { return record_in(shared_from_this(), std::move(effect)); }

/** Writes until it is known what became of it: an intent that is not kept must not be followed by its effect. */
task<void> store_journal::record_in(self_ptr self, effect_record effect)
{
    bool is_in_doubt = false;
    for (int tries = 0;; ++tries) {
        self->check_held(write_state::ok);
        task<write_state> call = self->store_.record(self->keeper_->fence(), effect);
        store_answer<write_state> answer = co_await answer_of(std::move(call));
        if (answer) {
            self->check_held(*answer.value);
            // After an answer that was lost, what is there is what we wrote.
            if (*answer.value == write_state::duplicate && !is_in_doubt)
                throw error{errc::store_refused, effect.address, "the journal has this effect already"};
            std::string address = effect.address;
            self->keeper_->note_open(address);
            self->effects_.insert_or_assign(std::move(address), std::move(effect));
            co_return;
        }
        if (!answer.may_retry()) std::rethrow_exception(answer.error);
        is_in_doubt |= answer.code == errc::store_outcome_unknown;
        co_await sleep_for(std::chrono::milliseconds{50} * (1 << std::min(tries, 5)));
    }
}

task<question_record> store_journal::ask(question_record question)
{
    return ask_in(shared_from_this(), std::move(question));
}

task<question_record> store_journal::ask_in(self_ptr self, question_record question)
{
    self->keeper_->note_open(question.address);
    for (int tries = 0;; ++tries) {
        self->check_held(write_state::ok);
        task<write_state> call = self->store_.ask(self->keeper_->fence(), question);
        store_answer<write_state> answer = co_await answer_of(std::move(call));
        if (!answer && !answer.may_retry()) std::rethrow_exception(answer.error);
        if (answer) {
            self->check_held(*answer.value);
            task<std::vector<question_record>> reading = self->store_.questions(self->keeper_->fence().thread);
            store_answer<std::vector<question_record>> all = co_await answer_of(std::move(reading));
            if (!all && !all.may_retry()) std::rethrow_exception(all.error);
            if (all)
                for (question_record& each : *all.value)
                    if (each.address == question.address) co_return std::move(each);
        }
        co_await sleep_for(std::chrono::milliseconds{50} * (1 << std::min(tries, 5)));
    }
}

task<answer_state> store_journal::answer(std::string address, std::string answer)
{
    return store_.answer(keeper_->fence().thread, std::move(address), std::move(answer));
}

void store_journal::settle(std::string_view visit)
{
    std::erase_if(effects_, [&](const auto& entry) { return is_below(entry.first, visit); });
    keeper_->settle(std::string{visit});
}

}  // namespace weft
