#include "thread_sweeper.hpp"

#include <weft/store/record/retention.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace weft::serve_detail {

task<std::size_t> thread_sweeper::sweep(std::size_t count_max)
{
    thread_lifetime_table lifetimes{service_.documents()};
    std::vector<thread_lifetime> due = co_await lifetimes.take_due(count_max);
    for (thread_lifetime& each : due) co_await end(std::move(each));
    co_return due.size();
}

task<void> thread_sweeper::end(thread_lifetime which)
{
    const std::optional<stored_thread> found = co_await service_.threads().find(which.thread);
    thread_lifetime_table lifetimes{service_.documents()};
    // A thread that came later under the same id has a lifetime of its own, or none.
    std::optional<thread_lifetime> own;
    if (found) own = co_await lifetimes.find(*found);
    if (own && own->ends != which.ends) co_return;  // it was given more time since then
    // A run under way would be lost; the next look is in a minute.
    if (own && found->phase == thread_phase::busy) co_return;
    if (own && own->at_end == thread_end::erase) {
        (void)co_await engine_.forget(which.thread);
    } else if (own) {
        retention newest;
        newest.keep_last = 1;
        (void)co_await runs_.prune(which.thread, newest);
    }
    co_await lifetimes.clear(std::move(which));
}

}  // namespace weft::serve_detail
