#include "thread_journal.hpp"

#include "store_call.hpp"

#include <weft/async/sleep.hpp>
#include <weft/engine/visit_address.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace weft {

namespace {

using namespace std::chrono_literals;

/** How often a call is made again that the store did not answer; the pauses between them double from 50 ms. */
constexpr int journal_tries_max = 6;

std::string scope_of(const write_fence& fence)
{
    std::string scope = fence.thread.tenant;
    return scope.append(1, '\0').append(fence.thread.thread).append(1, '\0').append(fence.run.text());
}

/** Awaits what `make` gives, a few times while the store does not answer. */
template <class Make>
auto a_few_times(Make make) -> decltype(make())
{
    using result = typename decltype(make())::value_type;
    for (int number = 1;; ++number) {
        auto call = make();
        store_answer<result> answer = co_await answer_of(std::move(call));
        if (answer) co_return std::move(*answer.value);
        if (!answer.may_retry() || number == journal_tries_max) std::rethrow_exception(answer.error);
        co_await sleep_for(50ms * (1 << (number - 1)));
    }
}

}  // namespace

thread_journal::thread_journal(checkpoint_store& store, std::shared_ptr<thread_keeper> keeper,
                               std::vector<effect_record> known)
    : store_{store}, keeper_{std::move(keeper)}, run_{keeper_->fence().run}, scope_{scope_of(keeper_->fence())}
{
    const std::string mine = place_of("");
    std::string before;
    for (effect_record& effect : known) {
        if (effect.address.starts_with(mine)) {
            effect.address.erase(0, mine.size());
            std::string address = effect.address;
            effects_.emplace(std::move(address), std::move(effect));
        } else if (std::string other = effect.address.substr(0, effect.address.find('/')); other != before) {
            keeper_->settle(other);
            before = std::move(other);
        }
    }
}

task<std::optional<effect_record>> thread_journal::find(std::string address)
{
    const auto found = effects_.find(address);
    if (found == effects_.end()) co_return std::nullopt;
    co_return found->second;
}

void thread_journal::require_held(const std::string& address) const
{
    if (keeper_->is_lost())
        throw error{errc::thread_lost, address, "whoever has the thread goes on from its newest checkpoint"};
}

/** Writes under the fence of the run. A second try finds what the first one has left, and takes it for its own. */
task<write_state> thread_journal::write(std::string address, write_function call)
{
    require_held(address);
    const auto make = [this, &call] { return call(keeper_->fence()); };
    task<write_state> writing = a_few_times(make);
    const write_state state = co_await std::move(writing);
    if (state == write_state::fenced) {
        keeper_->lose();
        require_held(address);
    }
    co_return state;
}

task<void> thread_journal::record(effect_record effect)
{
    effect_record kept = effect;
    kept.address = place_of(effect.address);
    const write_function call = [this, &kept](write_fence fence) { return store_.record(std::move(fence), kept); };
    task<write_state> writing = write(effect.address, call);
    const write_state state = co_await std::move(writing);
    static_cast<void>(state);
    std::string address = effect.address;
    effects_.insert_or_assign(std::move(address), std::move(effect));
}

task<std::optional<question_record>> thread_journal::look_up(std::string place)
{
    const auto make = [this] { return store_.questions(keeper_->fence().thread); };
    task<std::vector<question_record>> reading = a_few_times(make);
    const std::vector<question_record> all = co_await std::move(reading);
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.address == place; });
    if (found == all.end()) co_return std::nullopt;
    co_return *found;
}

task<question_record> thread_journal::ask(question_record question)
{
    question_record placed = question;
    placed.address = place_of(question.address);
    const write_function call = [this, &placed](write_fence fence) { return store_.ask(std::move(fence), placed); };
    task<write_state> writing = write(question.address, call);
    const write_state state = co_await std::move(writing);
    if (state == write_state::ok) co_return question;
    task<std::optional<question_record>> reading = look_up(placed.address);
    std::optional<question_record> kept = co_await std::move(reading);
    if (!kept) throw error{errc::store_corrupt, question.address, "the store has the question and does not give it"};
    kept->address = question.address;
    co_return std::move(*kept);
}

task<answer_state> thread_journal::answer(std::string address, std::string answer)
{
    const std::string place = place_of(address);
    const auto make = [this, &place, &answer] { return store_.answer(keeper_->fence().thread, place, answer); };
    task<answer_state> answering = a_few_times(make);
    co_return co_await std::move(answering);
}

/** What lies below goes in the transaction of the checkpoint that says that the visit is over. */
void thread_journal::settle(std::string_view visit)
{
    std::erase_if(effects_, [&](const auto& entry) { return is_below(entry.first, visit); });
    keeper_->settle(place_of(visit));
}

}  // namespace weft
