#pragma once

#include <weft/async/loop/loop_executor.hpp>
#include <weft/engine/start/run_completion.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/system_executor.hpp>

#include <type_traits>
#include <utility>

namespace weft {

/** A completion handler of `engine::async_run` with its type. */
template <class Handler>
class typed_run_completion final : public run_completion {
public:
    /** @param loop   That of the run, where a handler without an executor of its own is called. */
    typed_run_completion(Handler handler, const serial_loop& loop)
        : handler_{std::move(handler)}, place_{place_of(handler_, loop)}
    {
    }
    void deliver(run_result&& result, const serial_loop& loop) override
    {
        boost::asio::dispatch(place_.executor_on(loop),
                              [handler = std::move(handler_), result = std::move(result)]() mutable {
                                  std::move(handler)(std::move(result));
                              });
    }
    boost::asio::cancellation_slot slot() const noexcept override
    {
        return boost::asio::get_associated_cancellation_slot(handler_);
    }

private:
    template <class Otherwise>
    using executor_or = boost::asio::associated_executor_t<Handler, Otherwise>;
    /** Whether the handler has no executor of its own, as most have none: it gets whatever it is offered. */
    static constexpr bool is_called_on_loop =
        std::is_same_v<executor_or<loop_executor>, loop_executor> &&
        std::is_same_v<executor_or<boost::asio::system_executor>, boost::asio::system_executor>;

    /** The run's loop, which the run itself keeps from running out of work. */
    struct on_loop {
        [[nodiscard]] static loop_executor executor_on(const serial_loop& loop) noexcept { return loop.executor(); }
    };
    /** The context of another executor must not run out of work while the run is under way. */
    struct elsewhere {
        boost::asio::executor_work_guard<executor_or<loop_executor>> guard;
        [[nodiscard]] auto executor_on(const serial_loop&) const noexcept { return guard.get_executor(); }
    };
    using place = std::conditional_t<is_called_on_loop, on_loop, elsewhere>;
    static place place_of([[maybe_unused]] const Handler& handler, [[maybe_unused]] const serial_loop& loop)
    {
        if constexpr (is_called_on_loop)
            return {};
        else
            return {boost::asio::make_work_guard(boost::asio::get_associated_executor(handler, loop.executor()))};
    }

    [[no_unique_address]] Handler handler_;
    [[no_unique_address]] place place_;
};

}  // namespace weft
