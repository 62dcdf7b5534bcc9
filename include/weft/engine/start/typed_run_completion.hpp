#pragma once

#include <weft/async/loop/loop_executor.hpp>
#include <weft/engine/start/run_completion.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>

#include <utility>

namespace weft {

/** A completion handler of `engine::async_run` with its type. */
template <class Handler>
class typed_run_completion final : public run_completion {
public:
    /** @param loop   Where a handler without an executor of its own is called. */
    typed_run_completion(Handler handler, const serial_loop& loop)
        : handler_{std::move(handler)}, work_{boost::asio::get_associated_executor(handler_, loop.executor())}
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
