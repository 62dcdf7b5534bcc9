#pragma once

#include "crash_plan.hpp"
#include "durable/ledger.hpp"

#include <weft/store/role/forwarding_store.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace weft_crash {

/** Kills its own process with SIGKILL when each of its threads has come to a boundary: just before or just after one of
 *  its writes. A thread that is there stands still until the others are, too.
 *
 *  Writes of a thread are what carries it on: a run entered, resumed, given back; checkpoints, effects, questions,
 *  answers, checkpoints removed.
 *
 *  @par Thread safety   One loop.
 */
class killing_store final : public weft::forwarding_store {
public:
    killing_store(weft::checkpoint_store& inner, const worker_orders& orders, const weft_tests::ledger& notes);

    /** A thread has come to its end. */
    void note_end(const std::string& thread);
    /** How many writes a thread has made. */
    [[nodiscard]] std::uint64_t writes(const std::string& thread) const;

    using weft::worker_registry::enter;
    [[nodiscard]] weft::task<weft::worker_id> enter(weft::worker_entry entry) override;
    [[nodiscard]] weft::task<std::size_t> reap(std::size_t runs_max) override;
    [[nodiscard]] weft::task<std::vector<weft::run_claim>> claim(weft::worker_id worker, std::size_t max) override;
    [[nodiscard]] weft::task<weft::run_admission> enqueue(weft::new_run run) override;
    [[nodiscard]] weft::task<std::optional<weft::run_claim>> resume(weft::worker_id worker, weft::run_id run) override;
    [[nodiscard]] weft::task<weft::write_state> finish(weft::write_fence fence, weft::run_outcome outcome) override;
    [[nodiscard]] weft::task<weft::write_state> yield(weft::write_fence fence) override;
    [[nodiscard]] weft::task<std::optional<weft::run_record>> active_run(weft::thread_key thread) override;
    [[nodiscard]] weft::task<weft::commit_result> commit(weft::write_fence fence,
                                                         weft::checkpoint_draft draft) override;
    [[nodiscard]] weft::task<weft::write_state> record(weft::write_fence fence, weft::effect_record effect) override;
    [[nodiscard]] weft::task<weft::write_state> ask(weft::write_fence fence, weft::question_record question) override;
    [[nodiscard]] weft::task<weft::answer_state> answer(weft::thread_key thread, std::string address,
                                                        std::string answer) override;
    [[nodiscard]] weft::task<weft::prune_report> prune(weft::thread_key thread, weft::retention what) override;

private:
    template <class Make>
    auto at_boundaries(std::string thread, Make make) -> decltype(make());
    template <class Make>
    auto of_all(Make make) -> decltype(make());
    [[nodiscard]] weft::task<weft::write_state> record_and_note(weft::write_fence fence, weft::effect_record effect);
    /** A checkpoint that is acknowledged and not kept, if the process dies at the next write. */
    [[nodiscard]] bool loses_next(const std::string& thread) const;
    void arrive(const std::string& thread);
    void kill_if_all_are_there() const;

    std::map<std::string, slot> slots_;
    slot any_;
    bool is_careless_;
    const weft_tests::ledger& notes_;
    std::map<std::string, std::uint64_t> writes_;
    std::map<weft::run_id, std::string> threads_;  // of runs
    std::set<std::string> there_;                  // threads that stand at their boundaries, or are over
    std::set<std::string> standing_;
    std::uint64_t all_writes_ = 0;
};

}  // namespace weft_crash
