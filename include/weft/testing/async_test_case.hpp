#pragma once

#include <weft/async/task.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/testing/simulation/suspension_points.hpp>

#include <boost/test/unit_test.hpp>

namespace weft::testing {

/** Runs the body of an asynchronous test case; see `WEFT_ASYNC_TEST_CASE`.
 *
 *  @par Errors   What the body throws; `errc::timeout` and `errc::steps_exceeded` of the simulation;
 *                `std::runtime_error` if something is left at the end or after the body was destroyed half-way.
 */
void run_async_test_case(task<void> (*body)());

}  // namespace weft::testing

/** A test case of Boost.Test whose body is a task:
 *
 *      WEFT_ASYNC_TEST_CASE(a_sleeper_wakes_up)
 *      {
 *          co_await weft::sleep_for(10ms);
 *          …
 *      }
 *
 *  It runs in a simulation: time is virtual, no test takes long or hangs. It runs to its end with several seeds, and is
 *  then destroyed at each of its suspension points. Each time no coroutine frame and no armed timer may be left. So the
 *  body runs many times: it keeps what it changes to itself.
 *
 *  `BOOST_TEST` must not contain a `co_await`: await first, then test the result.
 */
#define WEFT_ASYNC_TEST_CASE(name)                                                                                    \
    static ::weft::task<void> name##_body();                                                                          \
    BOOST_AUTO_TEST_CASE(name) { ::weft::testing::run_async_test_case(&name##_body); }                                \
    static ::weft::task<void> name##_body()
