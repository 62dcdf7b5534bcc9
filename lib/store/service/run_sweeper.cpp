#include <weft/store/service/run_sweeper.hpp>

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/scope.hpp>

#include <string>
#include <utility>
#include <vector>

namespace weft {

namespace {

constexpr std::size_t runs_a_page = 500;
// A process that dies in its turn leaves it to the next one after this; a sweep that takes longer shares its work.
constexpr std::chrono::minutes turn_lease{5};
constexpr const char* turn_kind = "run_sweep";

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

std::vector<document_change> turn_at(wall_time due)
{
    std::vector<document_change> changes(1);
    changes[0].key = {turn_kind, "", "turn"};
    changes[0].body = "{}";
    changes[0].due = due;
    return changes;
}

}  // namespace

task<std::size_t> run_sweeper::sweep()
{
    const serial_loop& loop = co_await this_task::loop();
    const task_context& context = co_await this_task::context();
    const wall_time before = loop.clock().system_now() - keep_;
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
    const serial_loop& loop = co_await this_task::loop();
    document_store& documents = service_.documents();
    std::vector<document_change> first = turn_at(loop.clock().system_now());
    first[0].expected = 0;
    const bool is_first = co_await documents.write(std::move(first));
    static_cast<void>(is_first);
    std::string kind = turn_kind;
    const std::vector<stored_document> turn = co_await documents.take_due(std::move(kind), turn_lease, 1);
    if (turn.empty()) co_return 0;
    const std::size_t count = co_await sweep();
    std::vector<document_change> next = turn_at(loop.clock().system_now() + period());
    const bool is_written = co_await documents.write(std::move(next));
    static_cast<void>(is_written);  // it expects nothing
    co_return count;
}

}  // namespace weft
