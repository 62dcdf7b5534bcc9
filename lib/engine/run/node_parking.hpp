#pragma once

#include "node_run.hpp"

#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/signal.hpp>

#include <boost/json/value.hpp>

#include <chrono>
#include <exception>
#include <optional>
#include <string>

namespace weft {

struct run_core;

/** A node is parked while all that it does is wait for answers: it does not count as running, and its timeout stands
 *  still. A run within a node whose nodes are all parked counts as a question of the node around it. */

/** The questions and effects of a node's visit; made when they are first asked for. */
[[nodiscard]] visit_places& places_of(run_core& core, node_run& work);
/** Tells the scheduler whether a node is parked, after its questions or effects have changed. */
void update_parking(run_core& core, node_run& work);
/** A node has ended: it is not parked any more. */
void end_parking(run_core& core, node_run& work);
/** Takes a parked node down because the run pauses. */
void drop_parked(run_core& core, branch_index branch);
/** Tells the run around this one, if there is one, whether everything in this run is parked. */
void park_in_outer(run_core& core, bool is_parked);

/** An effect, or a call of the journal, that is under way: the node does more than wait for answers. */
class work_under_way {
public:
    work_under_way(run_core& core, node_run& work);
    ~work_under_way();
    work_under_way(const work_under_way&) = delete;
    work_under_way& operator=(const work_under_way&) = delete;

private:
    run_core& core_;
    node_run& work_;
};

/** A coroutine that waits for an answer; stands in its frame.
 *
 *  @par Lifetimes   The run and the node outlive it.
 */
class parked_question {
public:
    /** @param keeps_awake   As `question::keeps_run_awake`. */
    parked_question(run_core& core, node_run& work, std::string address, bool keeps_awake);
    ~parked_question();
    parked_question(const parked_question&) = delete;
    parked_question& operator=(const parked_question&) = delete;

    /** After `delay` it waits for an answer no longer. */
    void expire_after(std::chrono::nanoseconds delay);
    void give(boost::json::value answer);
    /** An answer stands that is none: the coroutine gets the error. */
    void refuse(std::exception_ptr why);

    [[nodiscard]] const std::string& address() const noexcept { return address_; }
    [[nodiscard]] bool is_over() const noexcept { return answer_ || is_expired_ || refused_; }
    [[nodiscard]] const std::exception_ptr& refused() const noexcept { return refused_; }
    [[nodiscard]] std::optional<boost::json::value>& answer() noexcept { return answer_; }
    /** Until something has changed. */
    [[nodiscard]] signal::waiter change() noexcept { return changed_.wait(); }

private:
    static void on_expiry(void* self);
    void end_wait();

    run_core& core_;
    node_run& work_;
    std::string address_;
    std::optional<boost::json::value> answer_;
    std::exception_ptr refused_;
    bool is_expired_ = false;
    bool is_waiting_ = true;
    const bool keeps_awake_;
    signal changed_;
    loop_timer timer_;
};

}  // namespace weft
