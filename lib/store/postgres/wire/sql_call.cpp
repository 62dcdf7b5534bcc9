#include "sql_call.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/task/yield_now.hpp>

#include <vector>

namespace weft::postgres_detail {

namespace {

/** While the caller waits: its loop knows that another OS thread works for it, and a caller that goes away says so. */
class waiting_caller {
public:
    waiting_caller(serial_loop& loop, sql_call& call) noexcept : loop_{loop}, call_{call} { loop_.add_outside_work(); }
    waiting_caller(const waiting_caller&) = delete;
    waiting_caller& operator=(const waiting_caller&) = delete;
    ~waiting_caller()
    {
        call_.abandon();
        loop_.remove_outside_work();
    }

private:
    serial_loop& loop_;
    sql_call& call_;
};

}  // namespace

task<sql_answer> sql_call::wait(intrusive_ptr<sql_call> call)
{
    serial_loop& loop = co_await this_task::loop();
    {
        const waiting_caller here{loop, *call};
        co_await call->done_->wait();
    }
    if (call->failure_) std::rethrow_exception(std::exchange(call->failure_, nullptr));
    co_return std::move(call->answer_);
}

task<void> sql_call::wait_giving(intrusive_ptr<sql_call> call, blob_receiver& into)
{
    serial_loop& loop = co_await this_task::loop();
    const waiting_caller here{loop, *call};
    for (bool is_done = false; !is_done;) {
        co_await call->done_->wait();
        // Looked at before the packs: behind the end there are no more.
        is_done = call->is_done_.load(std::memory_order_acquire);
        std::vector<blob_pack> packs = call->request.packs()->take();
        for (std::size_t i = 0; i < packs.size(); ++i) {
            if (i > 0) co_await yield_now();
            into.take(std::move(packs[i]));
        }
    }
    if (call->failure_) std::rethrow_exception(std::exchange(call->failure_, nullptr));
}

}  // namespace weft::postgres_detail
