#include <weft/store/service/run_sweeper.hpp>

#include "sweep_turn.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/scope.hpp>

#include <string>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t runs_a_page = 500;

bool may_go(const stored_run& run, wall_time before)
{
    const bool is_done = run.phase == run_phase::finished || run.phase == run_phase::failed ||
                         run.phase == run_phase::cancelled;
    return is_done && run.ended <= before;
}

task<void> remove_counted(run_directory& runs, run_id run, std::size_t& count)
{
    const bool is_gone = co_await runs.remove(run);
    if (is_gone) ++count;
}

}  // namespace

task<std::size_t> run_sweeper::sweep()
{
    const serial_loop& loop = co_await this_task::loop();
    const task_context& context = co_await this_task::context();
    const wall_time before = loop.clock().system_now() - keep_;
    for (std::size_t gone = 1; gone != 0;) gone = co_await service_.runs().forget_idle_limits();
    std::size_t count = 0;
    // The oldest first, so that a look ends at those that are too young.
    for (std::string after;;) {
        run_query query;
        query.is_newest_first = false;
        query.count_max = runs_a_page;
        query.after = std::move(after);
        run_page page = co_await service_.runs().search(std::move(query));
        scope together{context};  // stores put them into few transactions
        for (const stored_run& run : page.runs)
            if (may_go(run, before)) together.spawn(remove_counted(service_.runs(), run.id, count));
        co_await together.join();
        const bool has_more = !page.next.empty() && page.runs.back().created < before;
        if (!has_more) co_return count;
        after = std::move(page.next);
    }
}

task<std::size_t> run_sweeper::sweep_in_turn()
{
    store_detail::sweep_turn turn{service_.documents(), "run_sweep"};
    const bool is_mine = co_await turn.take();
    if (!is_mine) co_return 0;
    const std::size_t count = co_await sweep();
    co_await turn.end(period());
    co_return count;
}

std::chrono::milliseconds run_sweeper::period() const noexcept { return store_detail::sweep_period(keep_); }

}  // namespace weft
