#include <weft/store/sqlite/sqlite_worker_registry.hpp>

#include "sqlite_core.hpp"
#include "sqlite_workers.hpp"
#include "store/record/limit_checks.hpp"
#include "store/role/announcements.hpp"

#include <utility>

namespace weft {

namespace {

using sqlite_detail::connection;
using sqlite_detail::moment;

// About what the row of a worker takes.
constexpr std::size_t worker_row_bytes = 256;

store_news::due_task due_in(sqlite_detail::core& core)
{
    auto work = [](connection& db, const moment& at) { return sqlite_detail::next_due(db, at); };
    co_return co_await core.read(std::move(work));
}

}  // namespace

sqlite_worker_registry::sqlite_worker_registry(std::unique_ptr<sqlite_detail::core> core)
    : announcing_store{core->key(), {.next_due = [from = core.get()] { return due_in(*from); }}},
      core_{std::move(core)}
{
}

sqlite_worker_registry::~sqlite_worker_registry() = default;

task<worker_id> sqlite_worker_registry::enter(worker_entry entry)
{
    check_limits(entry);
    auto work = [entry = std::move(entry)](connection& db, const moment& at) {
        return sqlite_detail::enter_worker(db, entry, at);
    };
    co_return co_await core_->write(std::move(work), worker_row_bytes);
}

// The moment is that of the call, not of its turn in the queue.
task<heartbeat_report> sqlite_worker_registry::heartbeat(worker_id worker, std::chrono::milliseconds lifetime)
{
    auto work = [worker, lifetime](connection& db, const moment& at) {
        return sqlite_detail::prolong_worker(db, worker, lifetime, at);
    };
    co_return co_await core_->write(std::move(work), worker_row_bytes);
}

task<bool> sqlite_worker_registry::change_graphs(worker_id worker, std::vector<graph_ability> graphs)
{
    check_limits(graphs);
    auto work = [worker, graphs = std::move(graphs)](connection& db, const moment&) {
        return sqlite_detail::change_graphs_of(db, worker, graphs);
    };
    co_return co_await core_->write(std::move(work), worker_row_bytes);
}

task<void> sqlite_worker_registry::leave(worker_id worker)
{
    auto work = [worker](connection& db, const moment& at) { sqlite_detail::remove_worker(db, worker, at); };
    co_await core_->write(std::move(work), worker_row_bytes);
    store_detail::announce_changes(*news(), true);
}

task<std::size_t> sqlite_worker_registry::reap(std::size_t runs_max)
{
    auto work = [runs_max](connection& db, const moment& at) { return sqlite_detail::reap_workers(db, runs_max, at); };
    const std::size_t count = co_await core_->write(std::move(work), worker_row_bytes);
    store_detail::announce_changes(*news(), count > 0);
    co_return count;
}

}  // namespace weft
