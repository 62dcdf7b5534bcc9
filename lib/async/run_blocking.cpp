#include <weft/async/run_blocking.hpp>
#include <weft/async/stop_bridge.hpp>
#include <weft/base/error.hpp>

#include <memory>

namespace weft::async_detail {

struct root_runner::bridge {
    stop_bridge from_token;
};

root_runner::root_runner(boost::asio::io_context& context, std::stop_token stop)
    : io_{context}, context_{&serial_loop::of(context), &scope_}
{
    if (!stop.stop_possible()) return;
    bridge_.reset(new bridge{
        stop_bridge{std::move(stop), *context_.loop, [](void* self) { static_cast<stop_scope*>(self)->request_stop(); },
                    &scope_}});
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
