#pragma once

#include <weft/async/task.hpp>
#include <weft/base/clock.hpp>
#include <weft/store/service/cron_table.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** What follows when the run of a cron was, or was not, begun. */
enum class cron_verdict : std::uint8_t {
    goes_on,      ///< The next moment has its turn.
    is_over,      ///< There is nothing left to run: its thread or assistant is gone.
    tries_again,  ///< The same moment, after the lease, here or in another process.
};

/** Decides by how a run was begun. @param thrown  Null: it was. */
[[nodiscard]] cron_verdict verdict_of(const std::exception_ptr& thrown);

/** What a taken cron comes to by the clock of the store. */
struct cron_turn {
    bool begins = true;             ///< Its moment has a run.
    wall_time next_after;           ///< Its next moment is the first one behind this one.
};

[[nodiscard]] cron_turn turn_of(const cron& taken, wall_time now);

/** Begins the runs of crons when their moments come, in the background of a server. Of several servers on one store one
 *  begins each run.
 *
 *  What is due, and what was missed, is said by the clock of the store: those of the servers may be wrong. Moments at
 *  which no server was there have the runs that `cron::missed` says.
 *
 *  @par Thread safety   None: it belongs to its loop.
 *  @par Lifetimes       The documents outlive it, and it the task of `work`. */
class cron_runner {
public:
    /** Enters the run of `cron::next` into the store, once for each moment, however often it is called. */
    using begin_function = std::function<task<void>(cron due)>;
    using problem_function = std::function<void(std::string_view what)>;

    cron_runner(document_store& documents, begin_function begin, problem_function problem)
        : crons_{documents}, begin_{std::move(begin)}, problem_{std::move(problem)}
    {
    }

    /** Begins runs until it is stopped. */
    [[nodiscard]] task<void> work();

private:
    static task<bool> begin_due(cron_runner& self);
    static task<void> begin_one(cron_runner& self, cron due);

    cron_table crons_;
    begin_function begin_;
    problem_function problem_;
};

}  // namespace weft::serve_detail
