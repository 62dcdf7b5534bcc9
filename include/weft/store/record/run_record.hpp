#pragma once

#include <weft/base/chrono.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/store/record/checkpoint.hpp>
#include <weft/store/record/thread_key.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** A process that runs graphs, as a store knows it. A new one for each start: 0 is none. */
using worker_id = std::int64_t;

/** How a run stands in a store. */
enum class run_phase : std::uint8_t {
    queued,     ///< Another run of its thread comes first, or it waits for `new_run::not_before` or its next attempt.
    ready,      ///< Any worker may take it.
    running,    ///< A worker has it.
    waiting,    ///< It is paused or has open questions; no worker holds it.
    finished,
    failed,
    cancelled,
    dead,       ///< It has cost `new_run::attempts_max` workers: it waits for `revive`.
};

[[nodiscard]] std::string_view name_of(run_phase phase) noexcept;
/** Whether nothing follows any more. */
[[nodiscard]] bool is_over(run_phase phase) noexcept;

/** What to do with a new run of a thread that has an active one. */
enum class busy_policy : std::uint8_t {
    reject,   ///< It is refused.
    queue,    ///< It begins when those before it are over.
    replace,  ///< The active one is asked to cancel; it begins when that is over.
};

/** What a run is asked to do from outside. */
enum class run_signal : std::uint8_t {
    none,
    pause,   ///< Finish the nodes that run, then pause.
    cancel,  ///< Stop everything and keep what was published.
};

/** The right to write a thread, and where its history ended when it was last seen.
 *
 *  Every write names it. A write is refused when another worker has taken the thread over since, or the run was given
 *  back (`epoch`); `commit` and `finish` are also refused when the history has grown without us (`head`). The journal
 *  does not compare the head, since branches write it side by side. No clock has a part in that.
 */
class write_fence {
public:
    write_fence() noexcept {}
    write_fence(thread_key thread, run_id run, std::int64_t epoch, std::int64_t head)
        : thread{std::move(thread)}, run{run}, epoch{epoch}, head{head}
    {
    }

    thread_key thread;
    run_id run;
    std::int64_t epoch = 0;
    std::int64_t head = 0;  ///< `sequence` of the newest checkpoint; 0: none.
};

/** What became of a write. A refusal is a value: it is what a process that lost its thread has to expect. */
enum class write_state : std::uint8_t {
    ok,
    fenced,      ///< Another holder has the thread now, or it was deleted. Nothing was written.
    stale_head,  ///< The history has grown since. Nothing was written.
    duplicate,   ///< It is there already, written under this address or id before. Nothing was written.
};

[[nodiscard]] std::string_view name_of(write_state state) noexcept;

/** What a commit came to. */
struct commit_result {
    write_state state = write_state::ok;
    std::int64_t head = 0;  ///< The newest checkpoint now: of `ok` the one that was written.
};

/** A run to be entered into a store. */
class new_run {
public:
    new_run() noexcept {}
    new_run(thread_key thread, run_id id) : thread{std::move(thread)}, id{id} {}

    new_run& graph_named(std::string name) { graph = std::move(name); return *this; }
    new_run& on_busy(busy_policy policy) { busy = policy; return *this; }
    new_run& with_input(std::string json) { input = std::move(json); return *this; }
    new_run& with_idempotency_key(std::string key) { idempotency_key = std::move(key); return *this; }
    new_run& started_by(worker_id worker) { start_on = worker; return *this; }
    new_run& with_attempts_max(std::uint32_t count) { attempts_max = count; return *this; }

    thread_key thread;
    run_id id;
    std::string graph;               ///< Its name, for the worker that takes it.
    std::string input;               ///< Opaque; usually a JSON object by key name.
    std::string idempotency_key;     ///< Unique within the tenant; empty: none. A second run with it is the first one.
    std::string metadata = "{}";     ///< A JSON object to find the run by; see `run_directory`.
    /** A URL that hears of the run's end; empty: none. The transaction that ends the run adds a message to the
     *  `webhook_outbox`, under the run's id: `{"run": …, "thread": …, "graph": …, "phase": "finished"}`. */
    std::string webhook;
    busy_policy busy = busy_policy::reject;
    /** The revision of the graph that the run wants, such as the fingerprint of its file; empty: any. Only workers that
     *  have it take the run (`worker_entry::graphs`). */
    std::string revision;
    /** What limits count the run by, as values by name: `{"user": "7"}`; see `queue_rules`. */
    std::map<std::string, std::string> limit_keys;
    /** Among the runs of its tenant, each step is a head start of `priority_head_start`: -1 for low, 0, and 1 for high
     *  are the usual three levels. Those of a thread keep their order. */
    std::int32_t priority = 0;
    /** No worker gets the run earlier; none: at once. Until then it is the active run of its thread, if no other is. */
    std::optional<wall_time> not_before;
    /** How many workers may be lost while they have the run; then it is `dead`. A loss counts if the run was a suspect
     *  (`run_record::is_suspect`); another one counts as the first. 1: no worker takes it a second time. */
    std::uint32_t attempts_max = 5;
    /** If the thread is idle, the moment has come, the worker can run it and no limit is for it, this worker has it at
     *  once; 0: it waits for `claim`. */
    worker_id start_on = 0;

    static constexpr std::size_t limit_keys_max = 8;
};

/** A run that a worker has taken: it may write until another one takes it. */
struct run_claim {
    write_fence fence;
    std::uint32_t attempt = 1;  ///< One more than the losses that count; see `new_run::attempts_max`.
    bool is_suspect = false;    ///< As `run_record::is_suspect`, until the next checkpoint.
    std::string graph;
    std::string revision;       ///< As `new_run::revision`.
    std::string input;
};

/** What became of a new run. */
struct run_admission {
    enum class kind : std::uint8_t {
        started,    ///< `claim` is set.
        ready,      ///< It waits for a worker.
        queued,     ///< It waits for the runs of its thread before it, or for its moment.
        rejected,   ///< The thread has an active run: `id`.
        duplicate,  ///< Its idempotency key, or its id, belongs to the run `id`.
    };
    kind what = kind::started;
    run_id id;
    std::optional<run_claim> claim;
};

/** How a run left its worker. */
class run_outcome {
public:
    run_outcome() noexcept {}
    explicit run_outcome(run_phase phase, std::string message = std::string{})
        : phase{phase}, message{std::move(message)}
    {
    }

    /** It waits for the answers to the open questions below this address ("r17" is above "r17/review#1/ask#0"). If none
     *  of them is open any more, it does not wait: it is ready. */
    run_outcome& for_answers_below(std::string address) { asked_below = std::move(address); return *this; }
    /** It failed for a reason that may pass: it tries again, if a `retry_rule` of its graph says so. When its attempts
     *  are used up, it is dead. */
    run_outcome& retriable() { may_retry = true; return *this; }
    /** It waits until then at most: at that moment, by the clock of the store, it is ready whatever is still open. */
    run_outcome& until(std::optional<wall_time> moment) { wakes_at = moment; return *this; }

    run_phase phase = run_phase::finished;  ///< `waiting`, `finished`, `failed` or `cancelled`.
    std::string message;                    ///< Why; for people.
    std::string asked_below;                ///< Empty: it does not wait for answers.
    std::optional<wall_time> wakes_at;      ///< Of `waiting`; none: no moment ends its wait.
    bool may_retry = false;                 ///< Of `failed`.
};

/** An attempt of a run that came to nothing. */
struct lost_attempt {
    wall_time at;
    std::string cause;  ///< The message of a failure, or that the worker was lost; for people.
};

/** A run as the store has it. */
struct run_record {
    run_id id;
    thread_key thread;
    run_phase phase = run_phase::ready;
    run_signal signal = run_signal::none;
    std::string graph;
    std::string input;
    std::string message;
    std::string metadata = "{}";  ///< As `new_run::metadata`; its members may come back in another order.
    std::string webhook;
    std::string revision;                              ///< As `new_run::revision`.
    std::map<std::string, std::string> limit_keys;     ///< As `new_run::limit_keys`.
    /** Attempts that came to nothing, the oldest first; the newest `lost_attempts_max` are remembered. */
    std::vector<lost_attempt> lost_attempts;
    std::int32_t priority = 0;
    std::optional<wall_time> not_before;  ///< As `new_run::not_before`, also when it has passed.
    std::uint32_t attempt = 0;
    /** The run was under way when its worker was lost, and has made no checkpoint since: it may be what ends processes.
     *  A worker gets one suspect at a time. */
    bool is_suspect = false;
    worker_id worker = 0;       ///< Which one has it; 0: none.
    std::int64_t epoch = 0;     ///< Of its last claim.
    wall_time created;
    wall_time changed;          ///< When its phase, worker or signal changed last.
    wall_time ended;            ///< When it was over; the epoch of the clock if it is not.

    static constexpr std::size_t lost_attempts_max = 10;
};

/** What a sign of life brought back. */
struct heartbeat_report {
    struct signalled {
        run_id run;
        run_signal signal;
    };
    bool is_alive = false;              ///< False: the worker was given up, and all its runs are taken away.
    std::vector<signalled> signals;     ///< Of the worker's runs that are asked to do something.
};

}  // namespace weft
