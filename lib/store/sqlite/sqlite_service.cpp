#include "sqlite_service.hpp"

#include "sqlite_checkpoints.hpp"
#include "sqlite_documents.hpp"
#include "sqlite_events.hpp"
#include "sqlite_queue.hpp"
#include "sqlite_run_records.hpp"
#include "sqlite_runs.hpp"
#include "sqlite_threads.hpp"
#include "store/record/event_pruning.hpp"
#include "store/record/limit_checks.hpp"
#include "store/record/list_rules.hpp"
#include "store/role/announcements.hpp"

#include <utility>

namespace weft::sqlite_detail {

namespace {

std::size_t bytes_of_changes(const std::vector<document_change>& changes) noexcept
{
    std::size_t bytes = 0;
    for (const document_change& each : changes) bytes += each.body ? each.body->size() : 0;
    return bytes;
}

}  // namespace

task<event_append> sqlite_service::append(write_fence by, std::vector<event_draft> events, event_log_limits limits)
{
    check_limits(events);
    const std::size_t bytes = size_of(events);
    const thread_key thread = by.thread;
    event_batch batch{std::move(by), std::move(events), limits};
    auto work = [batch = std::move(batch)](connection& db, const moment& at) { return append_events(db, batch, at); };
    const event_append done = co_await core_.write(std::move(work), bytes);
    store_detail::announce_events(news_, thread, done.state);
    co_return done;
}

task<event_page> sqlite_service::read(run_id run, std::uint64_t after, std::size_t count_max)
{
    auto work = [run, after, count_max](connection& db, const moment&) {
        return read_events(db, run, after, count_max);
    };
    co_return co_await core_.read(std::move(work));
}

task<event_prune> sqlite_service::prune(std::chrono::milliseconds over_for, std::size_t events_max)
{
    auto work = [over_for, events_max](connection& db, const moment& at) {
        return prune_ended_logs(db, at.today - over_for, events_max);
    };
    co_return co_await core_.write(std::move(work), 0);
}

task<bool> sqlite_service::write(std::vector<document_change> changes)
{
    check_limits(changes);
    const std::size_t bytes = bytes_of_changes(changes);
    auto work = [changes = std::move(changes)](connection& db, const moment& at) {
        return write_documents(db, changes, at);
    };
    co_return co_await core_.write(std::move(work), bytes);
}

task<std::optional<stored_document>> sqlite_service::read(document_key key)
{
    auto work = [key = std::move(key)](connection& db, const moment&) { return read_document(db, key); };
    co_return co_await core_.read(std::move(work));
}

task<document_page> sqlite_service::search(document_query query)
{
    check_limits(query);
    auto work = [query = std::move(query)](connection& db, const moment&) { return search_documents(db, query); };
    co_return co_await core_.read(std::move(work));
}

task<std::size_t> sqlite_service::count(document_query query)
{
    check_limits(query);
    auto work = [query = std::move(query)](connection& db, const moment&) { return count_documents(db, query); };
    co_return co_await core_.read(std::move(work));
}

task<std::vector<stored_document>> sqlite_service::take_due(std::string kind, std::chrono::milliseconds lease,
                                                            std::size_t count_max)
{
    due_documents which{std::move(kind), lease, count_max};
    auto work = [which = std::move(which)](connection& db, const moment& at) {
        return take_due_documents(db, which, at);
    };
    co_return co_await core_.write(std::move(work), 0);
}

task<std::size_t> sqlite_service::erase_due(std::string kind, std::size_t count_max)
{
    due_documents which{std::move(kind), {}, count_max};
    auto work = [which = std::move(which)](connection& db, const moment& at) {
        return erase_due_documents(db, which, at);
    };
    co_return co_await core_.write(std::move(work), 0);
}

task<run_page> sqlite_service::search(run_query query)
{
    check_limits(query);
    auto work = [query = std::move(query)](connection& db, const moment&) { return search_runs(db, query); };
    co_return co_await core_.read(std::move(work));
}

task<std::size_t> sqlite_service::count(run_query query)
{
    check_limits(query);
    auto work = [query = std::move(query)](connection& db, const moment&) { return count_runs(db, query); };
    co_return co_await core_.read(std::move(work));
}

task<bool> sqlite_service::cancel_queued(run_id run)
{
    auto work = [run](connection& db, const moment& at) { return cancel_queued_run(db, run, at); };
    const bool is_cancelled = co_await core_.write(std::move(work), 0);
    store_detail::announce_changes(news_, is_cancelled);
    co_return is_cancelled;
}

task<bool> sqlite_service::remove(run_id run)
{
    auto work = [run](connection& db, const moment&) { return remove_run(db, run); };
    co_return co_await core_.write(std::move(work), 0);
}

task<std::size_t> sqlite_service::forget_idle_limits()
{
    auto work = [](connection& db, const moment& at) { return forget_idle_buckets(db, at); };
    co_return co_await core_.write(std::move(work), 0);
}

task<bool> sqlite_service::create(thread_key thread, std::string metadata)
{
    check_limits(thread);
    static_cast<void>(checked_object(metadata, document_limits::body_bytes_max, "metadata"));
    const std::size_t bytes = metadata.size();
    auto work = [thread = std::move(thread), metadata = std::move(metadata)](connection& db, const moment& at) {
        return create_thread(db, thread, metadata, stored(at.today));
    };
    co_return co_await core_.write(std::move(work), bytes);
}

task<std::optional<stored_thread>> sqlite_service::find(thread_key thread)
{
    auto work = [thread = std::move(thread)](connection& db, const moment&) { return read_thread(db, thread); };
    co_return co_await core_.read(std::move(work));
}

task<bool> sqlite_service::copy(thread_key from, thread_key to, checkpoint_id id)
{
    check_limits(to);
    fork_target target{std::move(from), 0, std::move(to), id};
    auto work = [target = std::move(target)](connection& db, const moment& at) { return copy_thread(db, target, at); };
    co_return co_await core_.write(std::move(work), 0);
}

task<bool> sqlite_service::update(thread_key thread, thread_change change)
{
    check_limits(change);
    auto work = [thread = std::move(thread), change = std::move(change)](connection& db, const moment&) {
        return update_thread(db, thread, change);
    };
    co_return co_await core_.write(std::move(work), 0);
}

task<thread_page> sqlite_service::search(thread_query query)
{
    check_limits(query);
    auto work = [query = std::move(query)](connection& db, const moment&) { return search_threads(db, query); };
    co_return co_await core_.read(std::move(work));
}

task<std::size_t> sqlite_service::count(thread_query query)
{
    check_limits(query);
    auto work = [query = std::move(query)](connection& db, const moment&) { return count_threads(db, query); };
    co_return co_await core_.read(std::move(work));
}

task<std::vector<queue_depth>> sqlite_service::depths(std::size_t count_max)
{
    auto work = [count_max](connection& db, const moment&) { return queue_depths(db, count_max); };
    co_return co_await core_.read(std::move(work));
}

task<std::vector<dead_runs>> sqlite_service::dead(std::size_t count_max)
{
    auto work = [count_max](connection& db, const moment&) { return dead_by_graph(db, count_max); };
    co_return co_await core_.read(std::move(work));
}

task<std::vector<unclaimable_runs>> sqlite_service::unclaimable(std::size_t count_max)
{
    auto work = [count_max](connection& db, const moment& at) { return runs_no_worker_can(db, count_max, at); };
    co_return co_await core_.read(std::move(work));
}

task<std::vector<listed_worker>> sqlite_service::workers(std::size_t count_max)
{
    auto work = [count_max](connection& db, const moment& at) { return list_workers(db, count_max, at); };
    co_return co_await core_.read(std::move(work));
}

}  // namespace weft::sqlite_detail
