#include <weft/async/root_task.hpp>

#include <boost/asio/dispatch.hpp>

#include <memory>

namespace weft::async_detail {

root_task::root_task(serial_loop& loop)
    : ready_item{[](ready_item& self) { static_cast<root_task&>(self).deliver(); }}, loop_{loop},
      context_{&loop, &scope_}, shared_{new shared_part{*this}}
{
}

root_task::~root_task()
{
    shared_->root = nullptr;
    if (has_begun_) loop_.remove_work();
}

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
    boost::asio::dispatch(shared_->loop.executor(), [shared = shared_] {
        if (shared->root) shared->root->scope_.request_stop();
    });
}

}  // namespace weft::async_detail
