#include <weft/engine/memory_journal.hpp>

#include <weft/base/error.hpp>

#include "visit_address.hpp"

#include <utility>

namespace weft {

memory_journal::memory_journal(std::string scope) : scope_{std::move(scope)} {}

memory_journal::~memory_journal() = default;

task<std::optional<effect_record>> memory_journal::find(std::string address)
{
    const auto found = effects_.find(address);
    if (found == effects_.end()) co_return std::nullopt;
    co_return found->second;
}

task<void> memory_journal::record(effect_record effect)
{
    const auto found = effects_.find(effect.address);
    // An outcome replaces its intent, and nothing else is replaced: a second intent would mean that the effect
    // happens twice.
    const bool is_outcome = effect.phase != effect_phase::intended;
    if (found == effects_.end()) {
        std::string address = effect.address;
        effects_.emplace(std::move(address), std::move(effect));
    } else if (is_outcome && found->second.phase == effect_phase::intended) {
        found->second = std::move(effect);
    } else {
        throw error{errc::store_refused, effect.address, "the journal has this effect already"};
    }
    co_return;
}

task<question_record> memory_journal::ask(question_record question)
{
    std::string address = question.address;
    // Asked again after a restart it is the same question, with the answer that it has.
    const auto [place, is_new] = questions_.try_emplace(std::move(address), std::move(question));
    (void)is_new;
    co_return place->second;
}

task<answer_state> memory_journal::answer(std::string address, std::string answer)
{
    const auto found = questions_.find(address);
    if (found == questions_.end()) co_return answer_state::unknown;
    if (found->second.phase == question_phase::answered) co_return answer_state::already_answered;
    found->second.phase = question_phase::answered;
    found->second.answer = std::move(answer);
    co_return answer_state::accepted;
}

void memory_journal::settle(std::string_view visit)
{
    std::erase_if(effects_, [&](const auto& entry) { return is_below(entry.first, visit); });
    std::erase_if(questions_, [&](const auto& entry) { return is_below(entry.first, visit); });
}

}  // namespace weft
