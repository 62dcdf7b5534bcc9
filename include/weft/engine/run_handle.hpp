#pragma once

#include <weft/async/task.hpp>
#include <weft/async/task/asio_fwd.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>
#include <weft/engine/run/event_stream.hpp>
#include <weft/engine/run_result.hpp>

#include <boost/asio/async_result.hpp>
#include <boost/json/value.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

class run;

/** A run that goes on by itself: watch it, pause it, cancel it, wait for its result.
 *
 *  @par Thread safety   `pause`, `cancel`, `answer` and `async_answer` from any OS thread; `events`, `questions` and
 *                       `result` on the run's loop.
 *  @par Lifetimes       Dropping the last handle does not stop the run.
 */
class run_handle {
public:
    /** The events from now on; each call makes a subscriber of its own.
     *  @param rule   What happens when the subscriber is too slow. */
    [[nodiscard]] event_stream events(slow_subscriber rule = slow_subscriber::drop_oldest);

    /** Lets the running nodes finish and starts no further one; the result is then `paused`. */
    void pause();

    /** Stops everything. @param grace  Before nodes that go on are destroyed; by default `run_options::stop_grace`. */
    void cancel(std::optional<std::chrono::nanoseconds> grace = std::nullopt);

    /** The questions that are open now, oldest first; those of graphs inside nodes included. */
    [[nodiscard]] std::vector<open_question> questions() const;

    /** Answers an open question; the first answer counts.
     *
     *  @param address   See `open_question::address`.
     *  @return          `accepted`: the coroutine that asked goes on. `already_answered`: it has an answer.
     *
     *  @par Errors
     *    - `errc::unknown_question`  no such question; the message lists the open ones.
     *    - `errc::invalid_answer`    the value does not fit, see `check_answer`; the question stays open.
     *    - those of the run's journal; the question stays open.
     *  @par Cancellation    The answer counts or not, as a whole. */
    [[nodiscard]] task<answer_state> answer(std::string address, boost::json::value value);

    /** The same for Asio programs and other OS threads: any completion token of the signature
     *  `void(std::exception_ptr, answer_state)`. */
    template <boost::asio::completion_token_for<void(std::exception_ptr, answer_state)> Token>
    auto async_answer(std::string address, boost::json::value value, Token&& token)
    {
        return async_start(loop(), answer_on_loop(shared_, std::move(address), std::move(value)),
                           std::forward<Token>(token));
    }

    /** Waits for the end of the run. One coroutine waits at a time; the result is given out once.
     *  @par Errors          `errc::cancelled` if the waiting is stopped; the run goes on.
     *  @par Cancellation    Of the waiting only. */
    [[nodiscard]] task<run_result> result();

    [[nodiscard]] bool is_finished() const noexcept;

private:
    friend struct run_handle_access;  // the engine
    struct shared_state;

    explicit run_handle(std::shared_ptr<shared_state> shared) noexcept : shared_{std::move(shared)} {}
    [[nodiscard]] serial_loop& loop() const noexcept;
    static task<answer_state> answer_on_loop(std::shared_ptr<shared_state> shared, std::string address,
                                             boost::json::value value);

    std::shared_ptr<shared_state> shared_;
};

}  // namespace weft
