#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace weft_bench {

/** Runs an `asio::awaitable` to its end on an `io_context` of its own: `weft::run_blocking` by hand. */
template <class T>
T run_awaitable(boost::asio::awaitable<T> work)
{
    boost::asio::io_context io{1};
    std::optional<T> result;
    std::exception_ptr failed;
    boost::asio::co_spawn(io, std::move(work), [&](std::exception_ptr error, T value) {
        failed = error;
        result = std::move(value);
    });
    io.run();
    if (failed) std::rethrow_exception(failed);
    return std::move(*result);
}

/** The counter that a fan-out by hand needs: the last branch wakes the parent. On one OS thread. */
class countdown {
public:
    explicit countdown(std::size_t count) noexcept : left_{count} {}

    void arrive()
    {
        if (--left_ == 0 && waiter_) std::exchange(waiter_, nullptr)->wake();
    }

    boost::asio::awaitable<void> wait()
    {
        if (left_ == 0) co_return;
        auto keep = [this](auto handler) { waiter_ = std::make_unique<parent<decltype(handler)>>(std::move(handler)); };
        co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void()>(
            keep, boost::asio::use_awaitable);
    }

private:
    struct any_parent {
        virtual ~any_parent() = default;
        virtual void wake() = 0;
    };
    template <class Handler>
    struct parent final : any_parent {
        explicit parent(Handler handler) : handler{std::move(handler)} {}
        void wake() override { std::move(handler)(); }
        Handler handler;
    };

    std::size_t left_;
    std::unique_ptr<any_parent> waiter_;
};

}  // namespace weft_bench
