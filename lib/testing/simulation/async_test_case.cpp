#include <weft/testing/leak_check.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/testing/simulation/suspension_points.hpp>

namespace weft::testing {

// Declared in async_test_case.hpp, which is not included: the library does not depend on Boost.Test.
void run_async_test_case(task<void> (*body)());

void run_async_test_case(task<void> (*body)())
{
    constexpr std::uint64_t seeds = 4;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const leak_check check;
        simulation sim{seed, simulation_limits{.steps_max = 1'000'000}};
        sim.run(body());
        check.expect_nothing_left(sim, "at the end, with seed " + std::to_string(seed));
    }
    torn_down_at_every_suspension_point(body, suspension_options{.points_max = 200});
}

}  // namespace weft::testing
