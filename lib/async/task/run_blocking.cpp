#include <weft/async/loop/token_scope.hpp>
#include <weft/async/run_blocking.hpp>
#include <weft/base/error.hpp>

#include <boost/asio/io_context.hpp>

#include <memory>
#include <utility>

namespace weft::async_detail {

root_runner::root_runner(boost::asio::io_context& context, std::stop_token stop)
    : io_{context}, scope_{std::make_unique<token_scope>(stop, serial_loop::of(context))},
      context_{&serial_loop::of(context), scope_.get()}
{
    if (stop.stop_requested()) scope_->request_stop();
}

root_runner::root_runner(std::unique_ptr<boost::asio::io_context> own, std::stop_token stop)
    : root_runner{*own, std::move(stop)}
{
    own_ = std::move(own);
}

root_runner::root_runner(std::stop_token stop)
    : root_runner{std::make_unique<boost::asio::io_context>(1), std::move(stop)}
{
}

root_runner::~root_runner() = default;

void root_runner::run_until_done()
{
    // What the task did before its first wait may have been the last work for a moment, and Asio then stops for good.
    io_.restart();
    while (!is_done_ && io_.run_one() > 0) {
    }
    if (!is_done_)
        throw error{errc::timeout, "run_blocking", "the task waits for something that nothing can bring any more"};
}

}  // namespace weft::async_detail
