#include "sql_queue.hpp"

#include <weft/base/memory/sort_stably.hpp>

#include <algorithm>
#include <utility>

namespace weft::postgres_detail {

std::optional<std::size_t> sql_queue::push(sql_call_ptr call)
{
    const std::lock_guard guard{lock_};
    if (waiting_.size() >= waiting_max_) return std::nullopt;
    waiting_.push_back(std::move(call));
    return waiting_.size();
}

void sql_queue::push_front(sql_call_ptr call)
{
    const std::lock_guard guard{lock_};
    waiting_.push_front(std::move(call));
}

std::vector<sql_call_ptr> sql_queue::take_batch()
{
    std::vector<sql_call_ptr> batch;
    {
        const std::lock_guard guard{lock_};
        std::size_t bytes = 0;
        while (!waiting_.empty() && batch.size() < batch_limits::calls_max) {
            sql_call& next = *waiting_.front();
            // Nothing waits for its answer, and it was not sent: it never is.
            if (next.is_abandoned()) {
                waiting_.pop_front();
                continue;
            }
            const bool ends_batch =
                next.request.is_alone() || bytes + next.request.bytes() > batch_limits::bytes_max;
            // A call that is too large for a batch is one by itself.
            if (!batch.empty() && ends_batch) break;
            bytes += next.request.bytes();
            batch.push_back(std::move(waiting_.front()));
            waiting_.pop_front();
            if (ends_batch) break;
        }
    }
    // All batches lock threads in one order, so that no two of them wait for each other. Calls of a thread keep theirs.
    sort_stably(batch, [](const sql_call_ptr& a, const sql_call_ptr& b) {
        return a->request.lock_order() < b->request.lock_order();
    });
    return batch;
}

void sql_queue::bring_forward(time_point deadline)
{
    const std::lock_guard guard{lock_};
    for (const sql_call_ptr& call : waiting_) call->deadline = std::min(call->deadline, deadline);
}

std::vector<sql_call_ptr> sql_queue::take_expired(time_point now)
{
    std::vector<sql_call_ptr> expired;
    const std::lock_guard guard{lock_};
    std::size_t kept = 0;
    for (sql_call_ptr& call : waiting_) {
        if (call->deadline <= now) expired.push_back(std::move(call));
        else if (sql_call_ptr& place = waiting_[kept++]; &place != &call) place = std::move(call);
    }
    waiting_.resize(kept);
    return expired;
}

std::vector<sql_call_ptr> sql_queue::take_all()
{
    const std::lock_guard guard{lock_};
    std::vector<sql_call_ptr> all{std::make_move_iterator(waiting_.begin()), std::make_move_iterator(waiting_.end())};
    waiting_.clear();
    return all;
}

bool sql_queue::empty() const
{
    const std::lock_guard guard{lock_};
    return waiting_.empty();
}

std::size_t sql_queue::size() const
{
    const std::lock_guard guard{lock_};
    return waiting_.size();
}

}  // namespace weft::postgres_detail
