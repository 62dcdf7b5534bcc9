#include "stop_floor.hpp"

#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "harness/outside_stopper.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <memory>
#include <stop_token>

namespace asio = boost::asio;

namespace weft_bench {

namespace {

constexpr std::chrono::minutes floor_wait{10};

struct stop_by_hand {
    std::shared_ptr<asio::steady_timer> timer;
    void operator()() const
    {
        asio::post(timer->get_executor(), [timer = timer] { timer->cancel(); });
    }
};

asio::awaitable<void> stoppable_by_hand(std::stop_token token, int* left, double* ended_at)
{
    const auto executor = co_await asio::this_coro::executor;
    auto timer = std::make_shared<asio::steady_timer>(executor, floor_wait);
    const std::stop_callback<stop_by_hand> on_stop{token, stop_by_hand{timer}};
    boost::system::error_code ignored;
    co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    if (--*left == 0) *ended_at = wall_ms();
}

}  // namespace

double time_stop_by_hand(int count)
{
    asio::io_context io{1};
    outside_stopper stopper{io};
    int left = count;
    double ended_at = 0;
    asio::post(io, [&] {
        for (int i = 0; i < count; ++i)
            asio::co_spawn(io, stoppable_by_hand(stopper.token(), &left, &ended_at), asio::detached);
        stopper.tell_all_wait();
    });
    io.run();
    require(left == 0, "not every coroutine by hand was stopped");
    return ended_at - stopper.stopped_at();
}

}  // namespace weft_bench
