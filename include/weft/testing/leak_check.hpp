#pragma once

#include <cstddef>
#include <string>

namespace weft::testing {

class simulation;

/** Compares what there is at the end of a test with what there was when this was made.
 *
 *  @par Thread safety   It counts what the calling OS thread makes and destroys.
 */
class leak_check {
public:
    leak_check() noexcept;

    /** Lets the simulation do what is ready, then looks for coroutine frames and armed timers.
     *  @param when   What was done before; begins the message.
     *  @par Errors   `std::runtime_error` if something is left. */
    void expect_nothing_left(simulation& sim, const std::string& when) const;

private:
    std::ptrdiff_t frames_;
};

}  // namespace weft::testing
