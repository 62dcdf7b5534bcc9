#include <weft/base/error.hpp>
#include <weft/testing/leak_check.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/testing/simulation/suspension_points.hpp>

#include <stdexcept>
#include <string>

namespace weft::testing::suspension_detail {

namespace {

std::string at_point(const char* what, std::size_t point)
{
    return std::string{what} + " at suspension point " + std::to_string(point);
}

/** Lets a task do `steps` steps. */
void walk(simulation& sim, const simulation::root<void>& work, std::size_t steps)
{
    while (steps-- > 0 && !work.has_ended()) sim.step();
}

/** One try. @return False if the task ended before `point`. */
bool tear_down_at(std::size_t point, const task_maker& make, std::uint64_t seed)
{
    leak_check check;
    simulation sim{seed};
    bool has_ended = false;
    task<void> work = make();
    if (point > 0) {
        simulation::root<void> started{sim, std::move(work)};
        walk(sim, started, point - 1);
        has_ended = started.has_ended();
        if (has_ended) started.take();
    }
    work.reset();
    check.expect_nothing_left(sim, at_point("torn down", point));
    return !has_ended;
}

/** Stopped, the task has to come to its end. */
void expect_end(simulation& sim, const simulation::root<void>& stopped, const std::string& when)
{
    try {
        while (!stopped.has_ended()) sim.step();
    } catch (const error& e) {
        throw std::runtime_error{when + ", the task did not end: " + e.what()};
    }
    if (stopped.error() && code_of(stopped.error()) != errc::cancelled)
        throw std::runtime_error{when + ", the task failed: " + text_of(stopped.error())};
}

/** One try. @return False if the task ended before `point`. */
bool stop_at(std::size_t point, const task_maker& make, std::uint64_t seed)
{
    leak_check check;
    simulation sim{seed};
    const std::string when = at_point("stopped", point);
    {
        simulation::root<void> started{sim, make()};
        walk(sim, started, point);
        if (started.has_ended()) {
            started.take();
            return false;
        }
        started.request_stop();
        expect_end(sim, started, when);
    }
    check.expect_nothing_left(sim, when);
    return true;
}

}  // namespace

std::size_t tear_down(const task_maker& make, const suspension_options& options)
{
    std::size_t point = 0;
    while (point < options.points_max && tear_down_at(point, make, options.seed)) ++point;
    return point;
}

std::size_t stop(const task_maker& make, const suspension_options& options)
{
    std::size_t point = 0;
    while (point < options.points_max && stop_at(point, make, options.seed)) ++point;
    return point;
}

}  // namespace weft::testing::suspension_detail
