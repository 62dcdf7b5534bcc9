#pragma once

#include <weft/base/chrono.hpp>
#include <weft/store/role/forwarding_store.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::testing {

class crash_round;

/** A store that kills its own process with SIGKILL, just before or just after a write.
 *
 *  @par Thread safety   One loop.
 *  @par Lifetimes       `inner` and `round` outlive it. */
class crash_store final : public forwarding_store {
public:
    crash_store(checkpoint_store& inner, const crash_round& round) noexcept : forwarding_store{inner}, round_{round} {}
    ~crash_store() override;

    using worker_registry::enter;
    [[nodiscard]] task<worker_id> enter(worker_entry entry) override;
    [[nodiscard]] task<std::size_t> reap(std::size_t runs_max) override;
    [[nodiscard]] task<run_admission> enqueue(new_run run) override;
    [[nodiscard]] task<std::vector<run_claim>> claim(worker_id worker, std::size_t max) override;
    [[nodiscard]] task<std::optional<run_claim>> resume(worker_id worker, run_id run) override;
    [[nodiscard]] task<write_state> finish(write_fence fence, run_outcome outcome) override;
    [[nodiscard]] task<commit_result> commit(write_fence fence, checkpoint_draft draft) override;
    [[nodiscard]] task<write_state> record(write_fence fence, effect_record effect) override;
    [[nodiscard]] task<write_state> ask(write_fence fence, question_record question) override;
    [[nodiscard]] task<answer_state> answer(thread_key thread, std::string address, std::string answer) override;

private:
    template <class Make>
    auto at_boundary(Make make) -> decltype(make());
    static task<write_state> record_and_note(crash_store* self, write_fence fence, effect_record effect);

    const crash_round& round_;
    std::uint64_t writes_ = 0;
};

}  // namespace weft::testing
