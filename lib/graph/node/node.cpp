#include <weft/graph/node/node.hpp>

#include <boost/assert.hpp>

namespace weft {

bool node_task::start(const task_context& context, task_promise_base::done_function done, void* waiter)
{
    return std::visit(
        [&](auto& work) -> bool {
            if constexpr (std::is_same_v<std::decay_t<decltype(work)>, std::monostate>)
                return true;
            else
                return work.start(context, done, waiter);
        },
        work_);
}

const std::exception_ptr& node_task::exception() const noexcept
{
    static const std::exception_ptr none;
    return *std::visit(
        [](const auto& work) -> const std::exception_ptr* {
            if constexpr (std::is_same_v<std::decay_t<decltype(work)>, std::monostate>)
                return &none;
            else
                return &work.exception();
        },
        work_);
}

command node_task::take()
{
    if (auto* update = std::get_if<task<state_update>>(&work_)) return graph_detail::to_command(update->take());
    if (auto* answer = std::get_if<task<command>>(&work_)) return answer->take();
    if (auto* nothing = std::get_if<task<void>>(&work_)) nothing->take();
    return {};
}

task<command> node_task::awaited(node_task work)
{
    if (auto* answering = std::get_if<task<command>>(&work.work_)) {
        command answer = co_await std::move(*answering);
        co_return answer;
    }
    if (auto* updating = std::get_if<task<state_update>>(&work.work_)) {
        state_update update = co_await std::move(*updating);
        co_return graph_detail::to_command(std::move(update));
    }
    if (auto* working = std::get_if<task<void>>(&work.work_)) co_await std::move(*working);
    co_return command::next();
}

void node_body::run(node_context&, command&) const
{
    BOOST_ASSERT_MSG(false, "a node that is a coroutine is made, not run");
}

node_task node_body::make(node_context&) const
{
    BOOST_ASSERT_MSG(false, "a plain node is run, not made");
    return {};
}

command graph_detail::to_command(state_update update)
{
    command result;
    result.update() = std::move(update);
    return result;
}

}  // namespace weft
