#pragma once

#include <weft/async/task.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

namespace weft::testing {

/** How a task is tried at its suspension points. */
struct suspension_options {
    std::uint64_t seed = 1;
    std::size_t points_max = 1'000;  ///< Later points are left out.
};

namespace suspension_detail {

using task_maker = std::function<task<void>()>;

std::size_t tear_down(const task_maker& make, const suspension_options& options);
std::size_t stop(const task_maker& make, const suspension_options& options);

template <class T>
task<void> without_result(task<T> work)
{
    co_await std::move(work);
}

template <class Make>
task_maker maker_of(Make make)
{
    return [make = std::move(make)]() mutable { return without_result(make()); };
}

}  // namespace suspension_detail

/** Runs a task again and again, each time in a fresh simulation, and destroys it before it starts, at its first
 *  suspension, at its second, and so on, until it runs to its end.
 *
 *  A suspension point is the moment between two steps of the simulation, in which all coroutines are suspended.
 *
 *  @param make   Called without arguments for each try; gives a new `task<T>`.
 *  @return       How often it was destroyed.
 *
 *  @par Errors
 *    - `std::runtime_error`  something is left after the task was destroyed: a coroutine frame or an armed timer; the
 *      message names the point.
 *    - What the task throws by itself.
 */
template <class Make>
std::size_t torn_down_at_every_suspension_point(Make make, suspension_options options = {})
{
    return suspension_detail::tear_down(suspension_detail::maker_of(std::move(make)), options);
}

/** As `torn_down_at_every_suspension_point`, and stops the task at each point instead of destroying it. The task must
 *  then end, by itself and in virtual time: with success or with `errc::cancelled`.
 *
 *  @return       How often it was stopped.
 *
 *  @par Errors
 *    - `std::runtime_error`  a stopped task failed in another way, did not end, or left something behind.
 *    - What the task throws when it is not stopped.
 */
template <class Make>
std::size_t stopped_at_every_suspension_point(Make make, suspension_options options = {})
{
    return suspension_detail::stop(suspension_detail::maker_of(std::move(make)), options);
}

}  // namespace weft::testing
