#pragma once

#include "thread_keeper.hpp"

#include <weft/engine/effect_journal.hpp>
#include <weft/store/checkpoint_store.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** The journal of a durable run: in the thread that it holds, under the same fence as its checkpoints.
 *
 *  Effects are read once, before the run begins, for nobody else writes them meanwhile. Questions are looked up again,
 *  for anybody may answer them. In the thread every address begins with the run, so that a run never takes what one
 *  before it has left for its own; what is left goes with the run's first checkpoint.
 *
 *  @par Thread safety   None.
 *  @par Lifetimes       The store outlives it.
 */
class thread_journal final : public effect_journal {
public:
    /** @param known   The effects that the thread has. */
    thread_journal(checkpoint_store& store, std::shared_ptr<thread_keeper> keeper, std::vector<effect_record> known);

    [[nodiscard]] std::string_view scope() const noexcept override { return scope_; }
    [[nodiscard]] task<std::optional<effect_record>> find(std::string address) override;
    [[nodiscard]] task<void> record(effect_record effect) override;
    [[nodiscard]] task<question_record> ask(question_record question) override;
    [[nodiscard]] task<answer_state> answer(std::string address, std::string answer) override;
    void settle(std::string_view visit) override;

    /** The address in the thread of what a run knows by `address`. */
    [[nodiscard]] static std::string in_thread(run_id run, std::string_view address)
    {
        return run.text().append(1, '/').append(address);
    }

private:
    using write_function = std::function<task<write_state>(write_fence)>;

    [[nodiscard]] task<write_state> write(std::string address, write_function call);
    [[nodiscard]] task<std::optional<question_record>> look_up(std::string place);
    [[nodiscard]] std::string place_of(std::string_view address) const { return in_thread(run_, address); }
    void require_held(const std::string& address) const;

    checkpoint_store& store_;
    std::shared_ptr<thread_keeper> keeper_;
    run_id run_;
    std::string scope_;
    std::map<std::string, effect_record, std::less<>> effects_;
};

}  // namespace weft
