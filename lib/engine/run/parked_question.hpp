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
