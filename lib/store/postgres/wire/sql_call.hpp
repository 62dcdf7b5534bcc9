#pragma once

#include "store/postgres/sql/sql_answer.hpp"
#include "store/postgres/sql/sql_error.hpp"
#include "store/postgres/sql/sql_request.hpp"

#include <weft/async/task.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/clock.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>

#include <atomic>
#include <exception>
#include <utility>

namespace weft::postgres_detail {

/** A request on its way from its caller's loop to the loop of the connections and back.
 *
 *  @par Thread safety   It is the caller's until it is queued, then the lane's until it is answered, then the caller's.
 */
class sql_call : public ref_counted<sql_call> {
public:
    explicit sql_call(sql_request asked)
        : request{std::move(asked)}, done_{request.packs() ? request.packs()->news() : make_counted<remote_signal>()}
    {
    }

    const sql_request request;
    time_point deadline{};  ///< Until then it is sent, or refused.
    int attempts = 0;       ///< How often it was sent by itself.

    void answer(sql_answer answer)
    {
        answer_ = std::move(answer);
        end();
    }
    void fail(const error& why)
    {
        failure_ = std::make_exception_ptr(why);
        end();
    }

    /** No caller waits any more: if it was not sent yet, it never is. From any OS thread. */
    void abandon() noexcept { is_abandoned_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] bool is_abandoned() const noexcept { return is_abandoned_.load(std::memory_order_relaxed); }

    /** The caller's wait. @par Errors  What the lane failed it with; `errc::cancelled`. */
    [[nodiscard]] static task<sql_answer> wait(intrusive_ptr<sql_call> call);
    /** The same for a request that gives packs. @param into  Outlives the task. */
    [[nodiscard]] static task<void> wait_giving(intrusive_ptr<sql_call> call, blob_receiver& into);

private:
    void end()
    {
        is_done_.store(true, std::memory_order_release);
        done_->notify();
    }

    std::atomic<bool> is_done_{false};
    std::atomic<bool> is_abandoned_{false};
    sql_answer answer_;
    std::exception_ptr failure_;
    intrusive_ptr<remote_signal> done_;
};

}  // namespace weft::postgres_detail
