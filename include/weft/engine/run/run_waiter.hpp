#pragma once

namespace weft {

class run;

/** Who began a run and hears of its end. A run has one, from its beginning on, until it has ended or is abandoned.
 *
 *  One pointer to it stands in each run that waits, for all that the run wants of it.
 *
 *  @par Thread safety   None: it is called on the run's loop.
 */
class run_waiter {
public:
    /** The run has ended. Called once, possibly within the call that begins the run. It may destroy the waiter, the run
     *  and the loop. */
    virtual void run_ended(run& ended) = 0;
    /** Whether a stop of the run is on its way that its loop has not come to yet: a node that holds the loop may ask
     *  for it. */
    [[nodiscard]] virtual bool is_stop_due() const noexcept = 0;

protected:
    ~run_waiter() = default;
};

}  // namespace weft
