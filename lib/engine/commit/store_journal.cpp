#include "store_journal.hpp"

#include "engine/visit/visit_address.hpp"
#include "store_call.hpp"

#include <weft/async/sleep.hpp>

#include <exception>
#include <utility>

namespace weft {

std::string stored_address(run_id origin, std::string_view address)
{
    return origin.text().append("/").append(address);
}

std::optional<std::string> address_within(run_id origin, std::string_view stored)
{
    const std::string top = origin.text();
    if (stored.size() <= top.size() || !is_below(stored, top)) return std::nullopt;
    return std::string{stored.substr(top.size() + 1)};
}

/** A write that ends without an answer, because its node was stopped, may still take place. */
class store_journal::write_under_way {
public:
    write_under_way(self_ptr of, const std::string& address) : of_{std::move(of)}, address_{address} {}
    write_under_way(const write_under_way&) = delete;
    write_under_way& operator=(const write_under_way&) = delete;
    ~write_under_way()
    {
        if (is_open_) of_->doubtful_.insert(address_);
    }
    /** It was answered; nothing that was written before comes later. */
    void answered() noexcept { is_open_ = false; }

private:
    self_ptr of_;
    std::string address_;
    bool is_open_ = true;
};

store_journal::store_journal(checkpoint_store& store, std::shared_ptr<checkpoint_committer> committer, run_id origin,
                             beginning how)
    : store_{store}, committer_{std::move(committer)}, top_{origin.text()}, may_have_entries_{how == beginning::goes_on}
{
    const thread_key& thread = committer_->fence().thread;
    scope_ = thread.tenant + "/" + thread.thread + "/" + top_;
    if (may_have_entries_) committer_->note_journal(top_);
}

/** Throws if the thread belongs to another process. */
void store_journal::check_held(write_state state)
{
    if (state == write_state::fenced || state == write_state::stale_head) committer_->lose();
    if (committer_->is_lost())
        throw error{errc::thread_lost, "thread '" + committer_->fence().thread.thread + "'",
                    "what this run had not written down yet counts no more"};
}

void store_journal::begin_to_write()
{
    if (!std::exchange(may_have_entries_, true)) committer_->note_journal(top_);
}

/** What belongs to another run goes with the next checkpoint: that run is over. */
bool store_journal::is_ours(const std::string& stored_address)
{
    if (is_below(stored_address, top_)) return true;
    std::string stranger = stored_address.substr(0, stored_address.find('/'));
    if (strangers_.insert(stranger).second) committer_->settle(std::move(stranger));
    return false;
}

/** Awaits what `call` gives for the store until it answers, as long as the thread is held: a node does not fail because
 *  a store is away for a moment. `failed` hears why a try had no answer. */
template <class Call, class Failed>
auto store_journal::until_answered(self_ptr self, Call call, Failed failed)
    -> std::invoke_result_t<Call&, checkpoint_store&>
{
    using result = typename std::invoke_result_t<Call&, checkpoint_store&>::value_type;
    for (int failures = 1;; ++failures) {
        self->check_held(write_state::ok);
        store_answer<result> answer = co_await answer_of(call(self->store_));
        if (answer) co_return std::move(*answer.value);
        if (!self->committer_->is_passing(answer.code)) std::rethrow_exception(answer.error);
        failed(answer.code);
        co_await sleep_for(retry_delay(failures));
    }
}

template <class Call>
auto store_journal::until_answered(self_ptr self, Call call) -> std::invoke_result_t<Call&, checkpoint_store&>
{
    return until_answered(std::move(self), std::move(call), [](errc) {});
}

task<std::vector<effect_record>> store_journal::read_effects(self_ptr self)
{
    const write_fence& fence = self->committer_->fence();
    return until_answered(std::move(self), [&fence](checkpoint_store& store) { return store.effects(fence.thread); });
}

task<void> store_journal::load(self_ptr self)
{
    if (self->is_loaded_) co_return;
    std::vector<effect_record> all = co_await read_effects(self);
    // Nodes that ask at once all read; what the first found is not overwritten, for it may have changed since.
    if (std::exchange(self->is_loaded_, true)) co_return;  // another node was quicker
    for (effect_record& each : all) {
        if (!self->is_ours(each.address)) continue;
        self->begin_to_write();
        each.address.erase(0, self->top_.size() + 1);
        std::string address = each.address;
        self->effects_.insert_or_assign(std::move(address), std::move(each));
    }
}

/** What the store has at an address of which we do not know. */
task<void> store_journal::look_up(self_ptr self, std::string address)
{
    const std::string stored = self->top_ + "/" + address;
    std::vector<effect_record> all = co_await read_effects(self);
    self->effects_.erase(address);
    for (effect_record& each : all) {
        if (each.address != stored) continue;
        each.address = address;
        self->effects_.insert_or_assign(address, std::move(each));
    }
}

task<std::optional<effect_record>> store_journal::find(std::string address)
{
    return find_in(shared_from_this(), std::move(address));
}

task<std::optional<effect_record>> store_journal::find_in(self_ptr self, std::string address)
{
    task<void> loading = self->doubtful_.contains(address) ? look_up(self, address) : load(self);
    co_await std::move(loading);
    const auto found = self->effects_.find(address);
    if (found == self->effects_.end()) co_return std::nullopt;
    co_return found->second;
}

task<void> store_journal::record(effect_record effect) { return record_in(shared_from_this(), std::move(effect)); }

/** Writes until it is known what became of it: an intent that is not kept must not be followed by its effect. */
task<void> store_journal::record_in(self_ptr self, effect_record effect)
{
    self->begin_to_write();
    write_under_way writing{self, effect.address};
    const auto write = [&](checkpoint_store& store) {
        effect_record stored = effect;
        stored.address = self->top_ + "/" + effect.address;
        return store.record(self->committer_->fence(), std::move(stored));
    };
    // A try that may have come through makes a later refusal as a duplicate mean success.
    const auto note_doubt = [&](errc why) {
        if (why == errc::store_outcome_unknown) self->doubtful_.insert(effect.address);
    };
    const write_state written = co_await until_answered(self, write, note_doubt);
    self->check_held(written);
    writing.answered();
    // After an answer that was lost, what is there is what we wrote.
    if (written == write_state::duplicate && !self->doubtful_.contains(effect.address))
        throw error{errc::store_refused, effect.address, "the journal has this effect already"};
    std::string address = effect.address;
    self->effects_.insert_or_assign(std::move(address), std::move(effect));
}

task<question_record> store_journal::ask(question_record question)
{
    return ask_in(shared_from_this(), std::move(question));
}

task<question_record> store_journal::ask_in(self_ptr self, question_record question)
{
    self->begin_to_write();
    const std::string address = self->top_ + "/" + question.address;
    const auto write = [&](checkpoint_store& store) {
        question_record stored = question;
        stored.address = address;
        return store.ask(self->committer_->fence(), std::move(stored));
    };
    const auto read = [&](checkpoint_store& store) { return store.questions(self->committer_->fence().thread); };
    for (int misses = 1;; ++misses) {
        const write_state written = co_await until_answered(self, write);
        self->check_held(written);
        std::vector<question_record> all = co_await until_answered(self, read);
        for (question_record& each : all) {
            if (!self->is_ours(each.address) || each.address != address) continue;
            each.address = std::move(question.address);
            if (each.phase == question_phase::open && self->on_question_) self->on_question_();
            co_return std::move(each);
        }
        co_await sleep_for(retry_delay(misses));
    }
}

task<answer_state> store_journal::answer(std::string address, std::string answer)
{
    return answer_in(shared_from_this(), std::move(address), std::move(answer));
}

/** If the reply to an answer is lost, the next try finds that there is one: the run looks which. */
task<answer_state> store_journal::answer_in(self_ptr self, std::string address, std::string answer)
{
    const std::string stored = self->top_ + "/" + address;
    const auto write = [&](checkpoint_store& store) {
        return store.answer(self->committer_->fence().thread, stored, answer);
    };
    co_return co_await until_answered(self, write);
}

void store_journal::settle(std::string_view visit)
{
    if (!may_have_entries_) return;
    std::erase_if(effects_, [&](const auto& entry) { return is_below(entry.first, visit); });
    std::erase_if(doubtful_, [&](const std::string& address) { return is_below(address, visit); });
    // With the next checkpoint, which says that the visit is over, and never before it: else a crash between would
    // repeat the effects.
    committer_->settle(top_ + "/" + std::string{visit});
}

}  // namespace weft
