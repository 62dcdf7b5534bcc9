#include <weft/async/task/refused_wait.hpp>

namespace weft::async_detail {

namespace {

/** What cleans up after a stop waits a few times and is not slowed down; what waits more often than that is a loop. */
constexpr std::uint32_t refusals_in_ready_queue_max = 64;

}  // namespace

void refuse(const task_context& context, ready_item& item)
{
    if (context.scope->count_refusal() <= refusals_in_ready_queue_max)
        context.loop->defer(item);
    else
        context.loop->defer_to_tick(item);
}

struct refused_wait::item : ready_item {
    item() noexcept : ready_item{[](ready_item& self) { static_cast<item&>(self).coroutine.resume(); }} {}
    std::coroutine_handle<> coroutine;
};

refused_wait::refused_wait() noexcept = default;
refused_wait::~refused_wait() = default;

void refused_wait::start(const task_context& context, std::coroutine_handle<> coroutine)
{
    if (!item_) item_ = std::make_unique<item>();
    item_->coroutine = coroutine;
    refuse(context, *item_);
}

}  // namespace weft::async_detail
