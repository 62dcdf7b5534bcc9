#pragma once

#include <weft/base/chrono.hpp>
#include <weft/engine/run/checkpoint_saver.hpp>
#include <weft/engine/run_event.hpp>
#include <weft/engine/scheduler/open_question.hpp>
#include <weft/graph/state/write_set.hpp>
#include <weft/store/checkpoint_store.hpp>
#include <weft/store/record/stored_event.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace weft {

class run_event_log;
class run_observer;
class serial_loop;

/** When what a node emits comes into the log of events while the node is still at it, for clients of other processes.
 *  Without it the log gets what has happened with the next checkpoint. */
struct event_streaming {
    event_streaming() noexcept {}

    /** How long an event waits for others that are written with it. 0: for the next checkpoint. */
    std::chrono::milliseconds every{50};
    std::size_t bytes = 1024;  ///< With so much text of nodes, events wait no longer.
    /** Also in stores that no other process reads (`store_news::reaches_others`): clients in the process of the run
     *  hear its events without the log. */
    bool in_one_process = false;
};

/** How a `durable_engine` keeps runs, and how it shows that its process lives. The one place of these defaults.
 *
 *      durable_options options;
 *      options.lifetime = 30s;
 */
struct durable_options {
    /** Gets the thread and the event, on the loop of the run. */
    using event_function = std::function<void(const thread_key&, const run_event&)>;
    using writes_function = std::function<std::function<bool(write_set&)>(const run_event& visit, write_set& writes)>;

    durable_options() noexcept {}

    std::string worker_name = "weft";  ///< The process, for people.
    durability mode = durability::every_step;
    bool is_best_effort = false;   ///< See `save_options::best_effort`.
    bool is_before_nodes = false;  ///< See `save_options::before_nodes`.
    std::size_t queue_max = 64;    ///< See `save_options::queue_max`.
    /** How long the store waits for a sign of life before others take the runs over. */
    std::chrono::milliseconds lifetime{15'000};
    /** Between two signs of life; much less than `lifetime`. */
    std::chrono::milliseconds heartbeat_every{5'000};
    /** How long the worker loop waits between two looks for work, a queued run between two looks for its turn, and a
     *  run with open questions between two looks for answers that came from elsewhere. What happens at a moment that
     *  the store knows is looked for at that moment. */
    std::chrono::milliseconds poll_every{500};
    /** The same while the store tells at once what happens (`store_news::is_complete`): a look finds what a lost notice
     *  did not tell. If it is shorter than `poll_every`, that counts. */
    std::chrono::milliseconds poll_every_with_news{2'000};
    /** Runs that the worker loop has at once. */
    std::size_t runs_max = 16;
    /** Runs that this process performs at once; further ones wait in the store for a place here or in another process.
     *  0: it performs none, and enters, answers, changes and follows runs that other processes perform. The
     *  watchers of a request hear only what its own process performs. Nothing: no limit. */
    std::optional<std::size_t> performed_max;
    /** How long `drain` waits for the nodes that run; then they are stopped, and their runs go on elsewhere from their
     *  last checkpoint. Nothing: until they end. */
    std::optional<std::chrono::milliseconds> drain_for;
    /** Says to the store which graphs the process has, by name and fingerprint, when it enters and when they change
     *  (`durable_engine::use_graphs`): then it gets only their runs, and the store knows which runs no process can
     *  perform (`queue_view`). A run that the process takes and cannot go on with, since its graph has another revision
     *  here, is left to processes that have the revision it began with. */
    bool names_graphs = false;
    /** The loop of another OS thread, from which the signs of life are given: then a node that computes for longer than
     *  `lifetime` costs no run. It outlives the engine. Null: the engine's own. */
    serial_loop* heartbeats_on = nullptr;
    /** What runs do when only answers are missing, unless their request says it. With `park` they stay in this process
     *  and go on with what they have in hand as soon as an answer is given, in whichever process. */
    interrupts on_questions = interrupts::pause;
    /** How long a run may be parked: then it gives itself back and waits in the store. 0: as long as its process
     *  lives. */
    std::chrono::milliseconds park_for{60'000};
    /** Runs that are parked at once; of more, those that have been for longest give themselves back. They do not count
     *  as `runs_max`. */
    std::size_t parked_max = 1000;
    /** How many processes a run may cost before it is `dead`; see `new_run::attempts_max`. */
    std::uint32_t attempts_max = 5;
    /** Which checkpoints stay after a run; besides those that are named, forked from, or the newest. 0: all. */
    std::size_t keep_last = 20;
    /** Older ones go even if they are among the last. 0: of any age. */
    std::chrono::seconds keep_for{0};
    /** Called for every event of every run of this engine, also of those that it takes over; after the watcher of the
     *  request. An exception from it is swallowed. */
    event_function on_event;
    /** Watches every run of this engine, also those that it takes over; null: nothing does. */
    std::shared_ptr<run_observer> observer;
    /** Called for the writes of every node of every run of this engine; see `run_request::amend_writes`. */
    writes_function amend_writes;
    /** Where the events of runs are kept, beside their checkpoints: with each checkpoint those that led to it. Null:
     *  nowhere. `stored_event_reader` reads them. It outlives the engine. */
    run_event_log* event_log = nullptr;
    event_log_limits event_limits{};  ///< Of each run.
    event_streaming streaming{};
    /** Records what models are sent, and what they answer, as events `agent_event::model_request` and `model_reply` of
     *  the runs of this engine. Prompts, conversations, results of tools: all that is said stands in the log then,
     *  without what looks like a key (`secret_scrubber`). */
    bool records_requests = false;
};

}  // namespace weft
