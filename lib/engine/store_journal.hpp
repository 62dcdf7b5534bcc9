#pragma once

#include "thread_keeper.hpp"

#include <weft/engine/effect_journal.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** The effects and questions of a run in the store, in the thread that the run holds.
 *
 *  What is there is read once, when something is asked for first; from then on only this run writes it, except for
 *  answers.
 *
 *  @par Thread safety   None.
 *  @par Lifetimes       The store outlives it.
 */
class store_journal final : public effect_journal, public std::enable_shared_from_this<store_journal> {
public:
    store_journal(checkpoint_store& store, std::shared_ptr<thread_keeper> keeper);

    [[nodiscard]] std::string_view scope() const noexcept override { return scope_; }
    [[nodiscard]] task<std::optional<effect_record>> find(std::string address) override;
    [[nodiscard]] task<void> record(effect_record effect) override;
    [[nodiscard]] task<question_record> ask(question_record question) override;
    [[nodiscard]] task<answer_state> answer(std::string address, std::string answer) override;
    void settle(std::string_view visit) override;

private:
    using self_ptr = std::shared_ptr<store_journal>;
    [[nodiscard]] static task<void> load(self_ptr self);
    [[nodiscard]] static task<std::optional<effect_record>> find_in(self_ptr self, std::string address);
    [[nodiscard]] static task<void> record_in(self_ptr self, effect_record effect);
    [[nodiscard]] static task<question_record> ask_in(self_ptr self, question_record question);
    void check_held(write_state state);

    checkpoint_store& store_;
    std::shared_ptr<thread_keeper> keeper_;
    std::string scope_;
    bool is_loaded_ = false;
    std::map<std::string, effect_record> effects_;
};

}  // namespace weft
