#include "sql_call.hpp"

#include <weft/async/loop/serial_loop.hpp>

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

}  // namespace weft::postgres_detail
