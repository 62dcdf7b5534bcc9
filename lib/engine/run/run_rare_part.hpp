#pragma once

#include "run.hpp"
#include "run_saving.hpp"

#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/loop/stop_bridge.hpp>

namespace weft {

/** A retry or a branch timeout that waits for its moment. */
struct run::token_timer {
    token_timer(run& owner, token_index token, timer_use use) noexcept
        : owner{owner}, token{token}, use{use}, timer{owner.loop_, &token_timer::fired, this}
    {
    }
    static void fired(void* self);

    run& owner;
    token_index token;
    timer_use use;
    loop_timer timer;
};

/** What only some runs have, so that a million of them waiting stay small. */
struct run::rare_part {
    failure_ptr mistake;  // of the input; told as the run's failure
    std::shared_ptr<budget_ledger> ledger;
    std::vector<std::unique_ptr<token_timer>> timers;
    std::optional<loop_timer> elapsed;
    bool is_out_of_time = false;
    std::optional<stop_bridge> from_token;
    std::optional<stop_bridge> from_pause;
    std::vector<std::string> unresponsive;
    std::optional<std::chrono::nanoseconds> grace;
    struct inner_run {
        token_index token;
        run* at_work;                            // null of one that has ended paused
        std::shared_ptr<const frontier> paused;  // where it stands, if it ended paused
    };
    std::vector<inner_run> inner;
    std::optional<run_saving> saving;  // of a run that is kept

    // Of a run within a node of another.
    run* outer = nullptr;
    token_index outer_token = no_index;
    std::string inside;                      // the address of that node's visit
    bool is_parked_told = false;             // the other run knows that everything here waits for answers

    // Of the outermost run.
    std::optional<weft::open_questions> desk;
    std::vector<parked_question*> waiting;
    std::shared_ptr<effect_journal> journal;

    /** Nothing comes from outside any more. */
    void disarm() noexcept
    {
        timers.clear();
        elapsed.reset();
        from_token.reset();
        from_pause.reset();
        if (saving) saving->give_up();
    }
};

}  // namespace weft
