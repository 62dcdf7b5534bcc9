#include <weft/engine/runtime.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>

namespace weft {

struct runtime::core {
    boost::asio::io_context context{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{context.get_executor()};
    std::thread thread;
};

runtime::runtime(std::size_t count)
{
    if (count == 0) count = std::max(1u, std::thread::hardware_concurrency());
    for (std::size_t i = 0; i < count; ++i) {
        auto& made = *cores_.emplace_back(std::make_unique<core>());
        loops_.push_back(&serial_loop::of(made.context));
        made.thread = std::thread{[&made] { made.context.run(); }};
    }
}

runtime::runtime(boost::asio::io_context& pool, std::size_t count)
{
    for (std::size_t i = 0; i < std::max<std::size_t>(count, 1); ++i)
        loops_.push_back(strands_.emplace_back(std::make_unique<serial_loop>(pool, serial_loop::on_strand{})).get());
}

runtime::~runtime()
{
    for (const auto& made : cores_) made->work.reset();
    for (const auto& made : cores_) made->thread.join();
}

}  // namespace weft
