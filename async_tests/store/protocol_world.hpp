#pragma once

#include <weft/async/scope.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/store/record/store_model.hpp>
#include <weft/testing/faulty_store.hpp>
#include <weft/testing/simulation.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/** Processes that share a store, the jobs they do, and what must never happen meanwhile. */
namespace protocol_world {

/** What a job writes at each step: a link that names the one before. The same link cannot be written twice. */
struct chain_link {
    std::string job;
    int step = 0;
    std::string nonce;
    std::string previous;

    [[nodiscard]] std::string text() const;
    [[nodiscard]] static chain_link parse(const std::string& text);
};

struct job {
    std::string key;
    weft::thread_key thread;
    int steps = 0;
    int asks_after = 0;  ///< The step after which it asks and waits for an answer; 0: none.

    [[nodiscard]] std::string question() const { return key + "#q"; }
    /** As the input of its run. */
    [[nodiscard]] std::string text() const;
    [[nodiscard]] static job parse(const weft::thread_key& thread, const std::string& text);
};

/** Sees what really happens in the store, and notes what breaks an invariant. */
class watching_store final : public weft::forwarding_store {
public:
    using forwarding_store::forwarding_store;

    [[nodiscard]] weft::task<std::vector<weft::run_claim>> claim(weft::worker_id worker, std::size_t max) override;
    [[nodiscard]] weft::task<std::optional<weft::run_claim>> resume(weft::worker_id worker, weft::run_id run) override;
    [[nodiscard]] weft::task<weft::write_state> ask(weft::write_fence fence, weft::question_record question) override;
    [[nodiscard]] weft::task<weft::answer_state> answer(weft::thread_key thread, std::string address,
                                                        std::string answer) override;
    [[nodiscard]] weft::task<weft::commit_result> commit(weft::write_fence fence,
                                                         weft::checkpoint_draft draft) override;
    [[nodiscard]] weft::task<weft::write_state> finish(weft::write_fence fence, weft::run_outcome outcome) override;

    [[nodiscard]] int times_finished(const std::string& job) const;
    [[nodiscard]] int answers() const noexcept { return static_cast<int>(answered_.size()); }
    void note(std::string violation) { violations_.push_back(std::move(violation)); }
    [[nodiscard]] const std::vector<std::string>& violations() const noexcept { return violations_; }

private:
    struct watched_thread {
        std::int64_t epoch = 0;  // of the latest claim
        chain_link newest;
    };
    void note_claim(const weft::run_claim& claim);
    void note_commit(const weft::write_fence& fence, const chain_link& link);
    void note_finish(const weft::write_fence& fence);

    std::map<weft::thread_key, watched_thread> threads_;
    std::map<weft::run_id, std::string> jobs_;
    std::map<std::string, int> finished_;
    std::map<std::string, int> asked_;     // by address
    std::map<std::string, int> answered_;
    std::vector<std::string> violations_;
};

/** How wild it gets. */
struct weather {
    int processes = 3;
    int threads = 2;
    int jobs_per_thread = 2;
    std::chrono::seconds storm{40};           ///< Afterwards nothing goes wrong any more.
    std::chrono::seconds calm_max{240};       ///< Within so long everything must be finished then.
    weft::store_flaw flaw = weft::store_flaw::none;
};

struct report {
    std::vector<std::string> violations;
    std::uint64_t disturbed = 0;
    int crashes = 0;
    int shut_downs = 0;
    int pauses = 0;
    int answers = 0;
    std::chrono::nanoseconds elapsed{0};
    std::string log;  ///< The history of all threads, to compare two runs of a seed.
};

/** Lets the world of a seed run to its end. */
[[nodiscard]] report run_world(std::uint64_t seed, weather how = {});

}  // namespace protocol_world
