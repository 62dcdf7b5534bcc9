#pragma once

#include <weft/engine/run/checkpoint_saver.hpp>
#include <weft/engine/run_event.hpp>
#include <weft/engine/scheduler/open_question.hpp>
#include <weft/store/checkpoint_store.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace weft {

/** How a `durable_engine` keeps runs, and how it shows that its process lives. The one place of these defaults. */
class durable_options {
public:
    /** Gets the thread and the event, on the loop of the run. */
    using event_function = std::function<void(const thread_key&, const run_event&)>;

    durable_options() noexcept {}

    /** The process, for people. */
    durable_options& worker_name(std::string name) { worker_name_ = std::move(name); return *this; }
    durable_options& mode(durability mode) { mode_ = mode; return *this; }
    /** See `save_options::best_effort`. */
    durable_options& best_effort(bool is_tolerant) { is_best_effort_ = is_tolerant; return *this; }
    /** See `save_options::before_nodes`. */
    durable_options& before_nodes(bool is_wanted) { is_before_nodes_ = is_wanted; return *this; }
    /** See `save_options::queue_max`. */
    durable_options& queue_max(std::size_t count) { queue_max_ = count; return *this; }
    /** How long the store waits for a sign of life before others take the runs over. */
    durable_options& lifetime(std::chrono::milliseconds limit) { lifetime_ = limit; return *this; }
    /** Between two signs of life; much less than `lifetime`. */
    durable_options& heartbeat_every(std::chrono::milliseconds span) { heartbeat_ = span; return *this; }
    /** How long the worker loop waits between two looks for work, a queued run between two looks for its turn, and a
     *  run with open questions between two looks for answers that came from elsewhere. */
    durable_options& poll_every(std::chrono::milliseconds span) { poll_ = span; return *this; }
    /** Runs that the worker loop has at once. */
    durable_options& runs_max(std::size_t count) { runs_max_ = count; return *this; }
    /** What runs do when only answers are missing, unless their request says it. With `park` they stay in this process
     *  and go on with what they have in hand as soon as an answer is given, in whichever process. */
    durable_options& on_questions(interrupts mode) { on_questions_ = mode; return *this; }
    /** How long a run may be parked: then it gives itself back and waits in the store. 0: as long as its process
     *  lives. */
    durable_options& park_for(std::chrono::milliseconds span) { park_for_ = span; return *this; }
    /** Runs that are parked at once; of more, those that have been for longest give themselves back. They do not count
     *  as `runs_max`. */
    durable_options& parked_max(std::size_t count) { parked_max_ = count; return *this; }
    /** How many processes a run may cost before it is `dead`; see `new_run::attempts_max`. */
    durable_options& attempts_max(std::uint32_t count) { attempts_max_ = count; return *this; }
    /** Which checkpoints stay after a run; besides those that are named, forked from, or the newest. 0: all. */
    durable_options& keep_last(std::size_t count) { keep_last_ = count; return *this; }
    /** Older ones go even if they are among the last. 0: of any age. */
    durable_options& keep_for(std::chrono::seconds age) { keep_for_ = age; return *this; }

    /** Called for every event of every run of this engine, also of those that it takes over; after the watcher of the
     *  request. An exception from it is swallowed. */
    durable_options& on_event(event_function watcher) { watcher_ = std::move(watcher); return *this; }

    [[nodiscard]] const std::string& worker_name() const noexcept { return worker_name_; }
    [[nodiscard]] durability mode() const noexcept { return mode_; }
    [[nodiscard]] bool is_best_effort() const noexcept { return is_best_effort_; }
    [[nodiscard]] bool is_before_nodes() const noexcept { return is_before_nodes_; }
    [[nodiscard]] std::size_t queue_max() const noexcept { return queue_max_; }
    [[nodiscard]] std::chrono::milliseconds lifetime() const noexcept { return lifetime_; }
    [[nodiscard]] std::chrono::milliseconds heartbeat_every() const noexcept { return heartbeat_; }
    [[nodiscard]] std::chrono::milliseconds poll_every() const noexcept { return poll_; }
    [[nodiscard]] std::size_t runs_max() const noexcept { return runs_max_; }
    [[nodiscard]] interrupts on_questions() const noexcept { return on_questions_; }
    [[nodiscard]] std::chrono::milliseconds park_for() const noexcept { return park_for_; }
    [[nodiscard]] std::size_t parked_max() const noexcept { return parked_max_; }
    [[nodiscard]] std::uint32_t attempts_max() const noexcept { return attempts_max_; }
    [[nodiscard]] std::size_t keep_last() const noexcept { return keep_last_; }
    [[nodiscard]] std::chrono::seconds keep_for() const noexcept { return keep_for_; }
    [[nodiscard]] const event_function& event_watcher() const noexcept { return watcher_; }

private:
    std::string worker_name_ = "weft";
    durability mode_ = durability::every_step;
    bool is_best_effort_ = false;
    bool is_before_nodes_ = false;
    std::size_t queue_max_ = 64;
    std::chrono::milliseconds lifetime_{15'000};
    std::chrono::milliseconds heartbeat_{5'000};
    std::chrono::milliseconds poll_{500};
    std::size_t runs_max_ = 16;
    interrupts on_questions_ = interrupts::pause;
    std::chrono::milliseconds park_for_{60'000};
    std::size_t parked_max_ = 1000;
    std::uint32_t attempts_max_ = 5;
    std::size_t keep_last_ = 20;
    std::chrono::seconds keep_for_{0};
    event_function watcher_;
};

}  // namespace weft
