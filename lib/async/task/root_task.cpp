#include <weft/async/loop/loop_executor.hpp>
#include <weft/async/task/root_task.hpp>

#include <boost/asio/dispatch.hpp>

#include <memory>

namespace weft::async_detail {

root_task::root_task(serial_loop& loop)
    : ready_item{[](ready_item& self) { static_cast<root_task&>(self).deliver(); }},
      loop_{loop}, context_{&loop, this}, shared_{new shared_state{*this}}
{
}

root_task::~root_task()
{
    shared_->root = nullptr;
    if (has_begun_) loop_.remove_work();
}

bool root_task::is_due() const noexcept { return shared_->is_asked.load(std::memory_order_relaxed); }

void root_task::start()
{
    boost::asio::dispatch(loop_.executor(), [self = std::unique_ptr<root_task>{this}]() mutable {
        self.release()->begin();
    });
}

void root_task::begin()
{
    has_begun_ = true;
    loop_.add_work();
    loop_.adopt(*this);
    if (start_work()) loop_.defer(*this);
}

void root_task::ended(void* self)
{
    auto& root = *static_cast<root_task*>(self);
    root.loop_.defer(root);
}

void root_task::stopper::operator()() const
{
    shared_->is_asked.store(true, std::memory_order_relaxed);
    boost::asio::dispatch(shared_->loop.executor(), [shared = shared_] {
        if (shared->root) shared->root->request_stop();
    });
}

}  // namespace weft::async_detail
