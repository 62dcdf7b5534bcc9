#pragma once

#include <weft/engine/scheduler/effect_journal.hpp>

#include <cstddef>
#include <map>
#include <string>

namespace weft {

/** A journal in memory: effects survive retries, pauses and resumes of one process.
 *
 *  It goes with a paused run: a resume need not give it again.
 *
 *  @par Thread safety   None: it belongs to one run at a time.
 */
class memory_journal final : public effect_journal {
public:
    /** @param scope   See `effect_journal::scope`; e.g. `"tenant/thread/run"`. */
    explicit memory_journal(std::string scope);
    ~memory_journal() override;

    [[nodiscard]] std::string_view scope() const noexcept override { return scope_; }
    [[nodiscard]] task<std::optional<effect_record>> find(std::string address) override;
    [[nodiscard]] task<void> record(effect_record effect) override;
    [[nodiscard]] task<question_record> ask(question_record question) override;
    [[nodiscard]] task<answer_state> answer(std::string address, std::string answer) override;
    void settle(std::string_view visit) override;

    /** What is kept, by address. */
    [[nodiscard]] const std::map<std::string, effect_record>& effects() const noexcept { return effects_; }
    [[nodiscard]] const std::map<std::string, question_record>& questions() const noexcept { return questions_; }

private:
    std::string scope_;
    std::map<std::string, effect_record> effects_;
    std::map<std::string, question_record> questions_;
};

}  // namespace weft
