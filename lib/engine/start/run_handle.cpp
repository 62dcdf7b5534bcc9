#include "run_handle_state.hpp"

#include "engine/run/event_queue.hpp"
#include "engine/run/run_questions.hpp"

#include <weft/async/async_start.hpp>
#include <weft/async/use_task.hpp>
#include <weft/base/error.hpp>

#include <boost/asio/dispatch.hpp>

namespace weft {

namespace {

/** Does something with the run on its loop, if it still runs by then. */
template <class Function>
void on_loop(const std::shared_ptr<run_handle_access::shared_state>& shared, Function what)
{
    boost::asio::dispatch(shared->loop->executor(), [shared, what] {
        if (const intrusive_ptr<run> running = shared->running) what(*running);
    });
}

}  // namespace

event_stream run_handle::events(slow_subscriber rule)
{
    if (shared_->running) return shared_->running->subscribe(rule);
    auto none = std::make_shared<event_stream::queue>(1);
    none->close();
    return event_stream{std::move(none)};
}

void run_handle::pause()
{
    on_loop(shared_, [](run& running) { running.pause(); });
}

void run_handle::cancel(std::optional<std::chrono::nanoseconds> grace)
{
    // For a plain node that holds the loop and asks whether it is to stop.
    shared_->is_cancel_asked.store(true, std::memory_order_relaxed);
    on_loop(shared_, [grace](run& running) { running.cancel(grace); });
}

namespace {

task<run_result> wait_for_end(std::shared_ptr<run_handle_access::shared_state> shared)
{
    while (!shared->result) co_await shared->ended.wait();
    co_return std::move(*shared->result);
}

}  // namespace

task<run_result> run_handle::result() { return wait_for_end(shared_); }

std::vector<open_question> run_handle::questions() const
{
    return shared_->running ? shared_->running->questions().open() : std::vector<open_question>{};
}

serial_loop& run_handle::loop() const noexcept { return *shared_->loop; }

task<answer_state> run_handle::answer_on_loop(std::shared_ptr<shared_state> shared, std::string address,
                                              boost::json::value value)
{
    const intrusive_ptr<run> running = shared->running;
    if (!running) throw error{errc::unknown_question, address, "the run is over"};
    co_return co_await running->questions().answer(std::move(address), std::move(value));
}

namespace {

task<answer_state> answer_from_afar(run_handle to, std::string address, boost::json::value value)
{
    auto [failed, state] = co_await to.async_answer(std::move(address), std::move(value), use_task_result);
    if (failed) std::rethrow_exception(failed);
    co_return state;
}

}  // namespace

task<answer_state> run_handle::answer(std::string address, boost::json::value value)
{
    return answer_from_afar(*this, std::move(address), std::move(value));
}

bool run_handle::is_finished() const noexcept { return shared_->is_finished.load(std::memory_order_acquire); }

}  // namespace weft
