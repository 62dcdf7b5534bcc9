#include <weft/async/loop/stop_bridge.hpp>
#include <weft/base/memory/free_list.hpp>

namespace weft {

/** Outlives the bridge while a stop is on its way; two owners, the bridge and the posted item. */
class stop_bridge::shared_state : public remote_item {
public:
    shared_state(serial_loop& loop, stopped_function stopped, void* target) noexcept
        : remote_item{[](remote_item& self) { static_cast<shared_state&>(self).arrive(); }}, loop_{loop},
          stopped_{stopped}, target_{target}
    {
    }

    void post()
    {
        owners_.fetch_add(1, std::memory_order_relaxed);
        loop_.post(*this);
    }
    void let_go() noexcept
    {
        target_ = nullptr;
        release();
    }

    static void* operator new(std::size_t size) { return allocate_block(size); }
    static void operator delete(void* block, std::size_t size) noexcept { free_block(block, size); }

private:
    void arrive()
    {
        if (target_) stopped_(target_);
        release();
    }
    void release() noexcept
    {
        if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

    serial_loop& loop_;
    stopped_function stopped_;
    void* target_;  // read and written on the loop only
    std::atomic<int> owners_{1};
};

void stop_bridge::post_stop::operator()() const noexcept { shared->post(); }

stop_bridge::stop_bridge(std::stop_token token, serial_loop& loop, stopped_function stopped, void* target)
    : shared_{new shared_state{loop, stopped, target}},
      callback_{std::in_place, std::move(token), post_stop{shared_}}
{
}

stop_bridge::~stop_bridge()
{
    callback_.reset();  // waits for a callback that is running on another OS thread; it only posts
    shared_->let_go();
}

}  // namespace weft
