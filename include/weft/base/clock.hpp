#pragma once

#include <weft/base/chrono.hpp>

namespace boost::asio {
class execution_context;
}

namespace weft {

/** The time, as a service of the execution context: real in production, moved by hand in tests.
 *
 *  @par Thread safety   All operations from any OS thread.
 */
class clock {
public:
    using duration = std::chrono::steady_clock::duration;
    using time_point = std::chrono::steady_clock::time_point;
    using system_time_point = std::chrono::system_clock::time_point;

    /** Time that never goes back, in nanoseconds since an arbitrary start; for deadlines and
     *  durations. */
    [[nodiscard]] virtual time_point now() const noexcept = 0;

    /** The time of day, which may jump; for what people and other machines read. */
    [[nodiscard]] virtual system_time_point system_now() const noexcept = 0;

protected:
    clock() = default;
    clock(const clock&) = default;
    clock& operator=(const clock&) = default;
    ~clock() = default;
};

/** A moment on a `clock`. */
using time_point = clock::time_point;

/** The clock of the machine. */
[[nodiscard]] clock& real_clock() noexcept;

/** The clock of an execution context: the installed one, else the clock of the machine.
 *
 *  Looking it up takes a lock; keep the reference, which stays valid as long as the context.
 */
[[nodiscard]] clock& clock_of(boost::asio::execution_context& context);

/** Makes `source` the clock of a context. At most once, and before anything asks for the clock of
 *  that context.
 *
 *  @par Lifetimes   `source` must outlive the context.
 */
void install_clock(boost::asio::execution_context& context, clock& source);

}  // namespace weft
