#pragma once

#include "run_rare_part.hpp"

#include <weft/async/signal.hpp>

#include <boost/json/value.hpp>

#include <exception>
#include <optional>
#include <string>

namespace weft {

/** A coroutine that waits for an answer; stands in its frame. */
class run::parked_question {
public:
    parked_question(run& owner, node_run& work, std::string address);
    ~parked_question();
    parked_question(const parked_question&) = delete;
    parked_question& operator=(const parked_question&) = delete;

    /** After `delay` nobody's answer is waited for any more. */
    void expire_after(std::chrono::nanoseconds delay);
    void give(boost::json::value answer);
    /** An answer stands that is none: whoever waits gets the error. */
    void refuse(std::exception_ptr why);

    [[nodiscard]] const std::string& address() const noexcept { return address_; }
    [[nodiscard]] bool is_over() const noexcept { return answer_ || is_expired_ || refused_; }
    [[nodiscard]] const std::exception_ptr& refused() const noexcept { return refused_; }
    [[nodiscard]] std::optional<boost::json::value>& answer() noexcept { return answer_; }
    /** Until something has changed. */
    [[nodiscard]] signal::waiter change() noexcept { return changed_.wait(); }

private:
    static void on_expiry(void* self);
    void go_on();

    run& owner_;
    node_run& work_;
    std::string address_;
    std::optional<boost::json::value> answer_;
    std::exception_ptr refused_;
    bool is_expired_ = false;
    bool is_waiting_ = true;
    signal changed_;
    loop_timer timer_;
};

/** An effect, or a word with the journal, that is under way: the node does more than wait for answers. */
class run::work_under_way {
public:
    work_under_way(run& owner, node_run& work);
    ~work_under_way();
    work_under_way(const work_under_way&) = delete;
    work_under_way& operator=(const work_under_way&) = delete;

private:
    run& owner_;
    node_run& work_;
};

}  // namespace weft
