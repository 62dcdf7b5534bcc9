#include <weft/testing/leak_check.hpp>
#include <weft/testing/simulation.hpp>

#include <stdexcept>

namespace weft::testing {

leak_check::leak_check() noexcept : frames_{live_frames()} {}

void leak_check::expect_nothing_left(simulation& sim, const std::string& when) const
{
    // Operations that were let go of end now.
    if (sim.context().stopped()) sim.context().restart();
    sim.context().poll();
    const std::ptrdiff_t left = live_frames() - frames_;
    if (left != 0) throw std::runtime_error{when + ", " + std::to_string(left) + " coroutine frames are left"};
    if (sim.loop().next_deadline()) throw std::runtime_error{when + ", a timer is still armed"};
}

}  // namespace weft::testing
