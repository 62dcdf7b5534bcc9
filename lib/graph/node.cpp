#include <weft/graph/node.hpp>

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

command graph_detail::to_command(state_update update)
{
    command result;
    result.update() = std::move(update);
    return result;
}

}  // namespace weft
