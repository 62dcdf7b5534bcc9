#pragma once

#include <weft/async/loop/ready_item.hpp>
#include <weft/base/clock.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/engine/durable_options.hpp>
#include <weft/store/checkpoint_store.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

class checkpoint_committer;
class event_recorder;
class run;
class serial_loop;

/** A run that this process holds. */
struct held_run {
    held_run();
    ~held_run();

    thread_key thread;
    run_id id;
    std::uint64_t news_name = 0;  ///< `store_news::name_of` its thread.
    std::shared_ptr<checkpoint_committer> committer;
    std::shared_ptr<event_recorder> recorder;  ///< Null: its events are not kept.
    run_id origin;                  ///< The run that began to count its visits: its addresses in the journal begin so.
    intrusive_ptr<run> active_run;  ///< Null before it begins and after it has ended.
    bool is_yielding = false;       ///< It goes on elsewhere.
    bool is_of_worker = false;      ///< No caller here waits for its result.
    std::optional<time_point> parked_since;

    [[nodiscard]] bool has_questions() const;
    [[nodiscard]] bool is_parked() const;
    /** It goes on elsewhere from its last checkpoint, also if it does not pause in time and is stopped. */
    void yield();
};

/** The runs that this process holds, and what they are asked to do.
 *
 *  A request to a run is performed by the loop, outside of all coroutines of the engine: a run that ends may destroy
 *  the engine. Requests to runs that are not held any more are dropped.
 *
 *  @par Thread safety   None.
 *  @par Lifetimes       Shared with the loop while requests are performed.
 */
class held_runs : public std::enable_shared_from_this<held_runs> {
public:
    held_runs() noexcept : perform_{this} {}
    held_runs(const held_runs&) = delete;
    held_runs& operator=(const held_runs&) = delete;

    /** Before anything is asked of a run. */
    void open(serial_loop& loop) noexcept { loop_ = &loop; }

    /** Null if this process does not hold the thread. */
    [[nodiscard]] held_run* find(const thread_key& thread) const noexcept;
    /** A copy: runs come and go while a coroutine walks through them. */
    [[nodiscard]] std::vector<std::shared_ptr<held_run>> all() const { return runs_; }
    [[nodiscard]] bool is_empty() const noexcept { return runs_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return runs_.size(); }
    [[nodiscard]] bool has_questions() const;
    /** Whether it has a run of the thread that notices call so; 0: any run. */
    [[nodiscard]] bool holds(std::uint64_t news_name) const noexcept;
    [[nodiscard]] std::size_t parked() const;
    /** Runs of the worker loop that are parked. */
    [[nodiscard]] std::size_t parked_of_worker() const;

    void signal_soon(run_id run, run_signal what);
    /** The store counts this process as dead: others have all its runs. */
    void lose_all_soon();
    /** Hands an answer to the run that holds the thread here, if there is one. */
    void answer_soon(const thread_key& thread, run_id origin, std::string address, const std::string& answer);
    /** Pauses runs that have been parked for too long, or that are too many; `all`: each that is parked. */
    void pause_parked(const durable_options& options, bool all);
    /** All runs go on elsewhere from their next node. */
    void yield_all();
    /** They go on elsewhere from their last checkpoint: what runs is stopped. */
    void stop_all();
    /** The runs of the worker loop do. */
    void yield_of_worker();

private:
    friend class run_registration;
    struct perform_item : ready_item {
        explicit perform_item(held_runs* owner) noexcept
            : ready_item{[](ready_item& self) { static_cast<perform_item&>(self).owner->perform(); }}, owner{owner}
        {
        }
        held_runs* owner;
    };
    struct given_answer {
        run_id run;
        std::string address;
        boost::json::value value;
    };

    void perform_soon();
    void perform();

    serial_loop* loop_ = nullptr;
    std::vector<std::shared_ptr<held_run>> runs_;
    std::vector<std::pair<run_id, run_signal>> signals_;
    std::vector<given_answer> answers_;
    std::vector<run_id> parked_too_long_;
    bool are_lost_ = false;
    perform_item perform_;
};

/** Keeps a run among those that are held while its coroutine lives. */
class run_registration {
public:
    run_registration(held_runs& in, std::shared_ptr<held_run> held);
    run_registration(const run_registration&) = delete;
    run_registration& operator=(const run_registration&) = delete;
    ~run_registration();

private:
    held_runs& in_;
    std::shared_ptr<held_run> held_;
};

}  // namespace weft
