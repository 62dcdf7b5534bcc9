#pragma once

#include <weft/async/loop/loop_executor.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>
#include <weft/engine/run_result.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>

#include <atomic>
#include <memory>
#include <utility>

namespace weft {

class run;

/** The completion handler of `engine::async_run` without its type.
 *
 *  (`any_completion_handler` of Boost 1.81 recurses without end when it is moved into another one.)
 */
class run_completion {
public:
    run_completion() noexcept;
    virtual ~run_completion();
    static void* operator new(std::size_t size) { return allocate_block(size); }
    static void operator delete(void* memory, std::size_t size) noexcept { free_block(memory, size); }

    /** Calls the handler on its own executor. */
    virtual void deliver(run_result&& result) = 0;
    [[nodiscard]] virtual boost::asio::cancellation_slot slot() const noexcept = 0;

    /** Begins a run that `done` is told the end of, on the run's loop. */
    static void start(intrusive_ptr<run> what, std::unique_ptr<run_completion> done);

private:
    static void finished(void* self, run_result&& result);

    intrusive_ptr<run> running_;  // while it is under way
    std::atomic<bool> is_cancel_asked_{false};
};

template <class Handler>
class typed_run_completion final : public run_completion {
public:
    typed_run_completion(Handler handler, loop_executor otherwise)
        : handler_{std::move(handler)}, work_{boost::asio::get_associated_executor(handler_, otherwise)}
    {
    }
    void deliver(run_result&& result) override
    {
        boost::asio::dispatch(work_.get_executor(),
                              [handler = std::move(handler_), result = std::move(result)]() mutable {
                                  std::move(handler)(std::move(result));
                              });
    }
    boost::asio::cancellation_slot slot() const noexcept override
    {
        return boost::asio::get_associated_cancellation_slot(handler_);
    }

private:
    using executor_type = boost::asio::associated_executor_t<Handler, loop_executor>;
    Handler handler_;
    // The handler's context must not run out of work while the run is under way.
    boost::asio::executor_work_guard<executor_type> work_;
};

}  // namespace weft
