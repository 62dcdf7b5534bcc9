#include <weft/async/group/pool_job.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/task/refused_wait.hpp>
#include <weft/base/error.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <utility>

namespace weft::async_detail {

/** What stands in the pool's queue: the pool may drop it without calling it. */
class pool_job::pool_side {
public:
    explicit pool_side(pool_job& job) noexcept : job_{&job} {}
    pool_side(pool_side&&) noexcept = default;
    pool_side& operator=(pool_side&&) = delete;
    ~pool_side()
    {
        if (job_) job_->refuse();
    }
    void operator()() { std::exchange(job_, nullptr)->run(); }

private:
    intrusive_ptr<pool_job> job_;
};

pool_job::arrival_item::arrival_item(pool_job& job) noexcept
    : remote_item{[](remote_item& self) { static_cast<arrival_item&>(self).job.arrive(); }}, job{job}
{
}

void pool_job::start(boost::asio::thread_pool& pool, serial_loop& loop, pool_wait& waiter)
{
    loop_ = &loop;
    waiter_ = &waiter;
    boost::asio::post(pool, pool_side{*this});
}

void pool_job::abandon()
{
    waiter_ = nullptr;
    const std::lock_guard guard{lock_};
    loop_ = nullptr;
}

void pool_job::rethrow()
{
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void pool_job::run() noexcept
{
    {
        const std::lock_guard guard{lock_};
        if (!loop_) return;
    }
    try {
        call();
    } catch (...) {
        error_ = std::current_exception();
    }
    send_home();
}

void pool_job::refuse() noexcept
{
    error_ = std::make_exception_ptr(error{errc::cancelled, "on_pool", "the pool was stopped before it began"});
    send_home();
}

void pool_job::send_home() noexcept
{
    const std::lock_guard guard{lock_};
    if (!loop_) return;
    intrusive_ptr_add_ref(this);  // for the loop
    loop_->post(arrival_);
}

void pool_job::arrive()
{
    const intrusive_ptr<pool_job> self{this, false};
    if (waiter_) waiter_->job_done();
}

pool_wait::pool_wait(boost::asio::thread_pool& pool, pool_job& job) noexcept
    : ready_item{[](ready_item& self) { static_cast<pool_wait&>(self).waiter_.resume(); }},
      stoppable{[](stoppable& self) { static_cast<pool_wait&>(self).stop(); }}, pool_{pool}, job_{job}
{
}

pool_wait::~pool_wait()
{
    if (!is_pending_) return;
    job_.abandon();
    loop_->remove_outside_work();
}

bool pool_wait::start(const task_context& context, std::coroutine_handle<> self)
{
    waiter_ = self;
    if (context.scope->stop_requested()) {
        is_stopped_ = true;
        refuse(context, *this);
        return true;
    }
    loop_ = context.loop;
    loop_->add_outside_work();
    context.begin_wait(*this);
    is_pending_ = true;
    job_.start(pool_, *loop_, *this);
    return true;
}

void pool_wait::stop()
{
    is_stopped_ = true;
    job_.abandon();
    job_done();
}

void pool_wait::job_done()
{
    is_pending_ = false;
    stoppable::unlink();
    loop_->defer(*this);
    loop_->remove_outside_work();
}

void pool_wait::await_resume() const
{
    if (is_stopped_) throw_cancelled();
    job_.rethrow();
}

}  // namespace weft::async_detail
