#pragma once

#include "checkpoint_committer.hpp"

#include <weft/engine/scheduler/effect_journal.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace weft {

/** The effects and questions of a run in the store, in the thread that the run holds.
 *
 *  In the store each address begins with the id of the run that began to count the visits. So what an earlier run of
 *  the thread has left behind, or what arrives late, is never taken for this run's; when it is found it goes with the
 *  next checkpoint.
 *
 *  What is there is read once, when something is asked for first; from then on only this run writes it, except for
 *  answers.
 *
 *  @par Thread safety   None.
 *  @par Lifetimes       The store outlives it.
 */
class store_journal final : public effect_journal, public std::enable_shared_from_this<store_journal> {
public:
    enum class beginning {
        anew,       ///< Nothing was written for this run before.
        goes_on,    ///< Perhaps something was.
    };
    /** @param origin   The run that began to count the visits. */
    store_journal(checkpoint_store& store, std::shared_ptr<checkpoint_committer> committer, run_id origin,
                  beginning how);

    /** Called when a question was asked that has no answer yet. */
    void on_question(std::function<void()> watcher) { on_question_ = std::move(watcher); }

    [[nodiscard]] std::string_view scope() const noexcept override { return scope_; }
    [[nodiscard]] task<std::optional<effect_record>> find(std::string address) override;
    [[nodiscard]] task<void> record(effect_record effect) override;
    [[nodiscard]] task<question_record> ask(question_record question) override;
    [[nodiscard]] task<answer_state> answer(std::string address, std::string answer) override;
    void settle(std::string_view visit) override;

private:
    using self_ptr = std::shared_ptr<store_journal>;
    class write_under_way;
    template <class Call, class Failed>
    [[nodiscard]] static auto until_answered(self_ptr self, Call call, Failed failed)
        -> std::invoke_result_t<Call&, checkpoint_store&>;
    template <class Call>
    [[nodiscard]] static auto until_answered(self_ptr self, Call call)
        -> std::invoke_result_t<Call&, checkpoint_store&>;
    [[nodiscard]] static task<std::vector<effect_record>> read_effects(self_ptr self);
    [[nodiscard]] static task<void> load(self_ptr self);
    [[nodiscard]] static task<void> look_up(self_ptr self, std::string address);
    [[nodiscard]] static task<std::optional<effect_record>> find_in(self_ptr self, std::string address);
    [[nodiscard]] static task<void> record_in(self_ptr self, effect_record effect);
    [[nodiscard]] static task<question_record> ask_in(self_ptr self, question_record question);
    [[nodiscard]] static task<answer_state> answer_in(self_ptr self, std::string address, std::string answer);
    void check_held(write_state state);
    void begin_to_write();
    [[nodiscard]] bool is_ours(const std::string& stored_address);

    checkpoint_store& store_;
    std::shared_ptr<checkpoint_committer> committer_;
    std::string top_;     // of the addresses in the store
    std::string scope_;
    bool is_loaded_ = false;
    bool may_have_entries_;
    std::map<std::string, effect_record> effects_;
    std::set<std::string> doubtful_;   // addresses with a write whose outcome is unknown
    std::set<std::string> strangers_;  // what other runs left; the committer settles it
    std::function<void()> on_question_;
};

/** How addresses of the visits that a run began to count stand in the store. */
[[nodiscard]] std::string stored_address(run_id origin, std::string_view address);
/** The address within the run; nothing if it belongs to another one. */
[[nodiscard]] std::optional<std::string> address_within(run_id origin, std::string_view stored);

}  // namespace weft
