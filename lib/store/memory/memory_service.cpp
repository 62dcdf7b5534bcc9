#include "memory_service.hpp"

#include "store/role/announcements.hpp"
#include "store/tables/model_documents.hpp"
#include "store/tables/model_events.hpp"
#include "store/tables/model_lists.hpp"
#include "store/tables/model_queue.hpp"

#include <weft/async/loop/serial_loop.hpp>

#include <utility>

namespace weft {

namespace {

store_moment service_moment_of(const serial_loop& loop) { return {loop.now(), loop.clock().system_now()}; }

}  // namespace

task<event_append> memory_service::append(write_fence by, std::vector<event_draft> events, event_log_limits limits)
{
    const store_moment at = service_moment_of(co_await this_task::loop());
    const event_append done = locked(
        [&](store_model& model) { return store_detail::append_events(model, by, std::move(events), limits, at); });
    store_detail::announce_events(news_, by.thread, done.state);
    co_return done;
}

task<event_page> memory_service::read(run_id run, std::uint64_t after, std::size_t count_max)
{
    co_return locked(
        [&](store_model& model) { return store_detail::read_events(model.tables(), run, after, count_max); });
}

task<event_prune> memory_service::prune(std::chrono::milliseconds over_for, std::size_t events_max)
{
    const store_moment at = service_moment_of(co_await this_task::loop());
    co_return locked([&](store_model& model) {
        return store_detail::prune_ended_logs(model, at.today - over_for, events_max);
    });
}

task<bool> memory_service::write(std::vector<document_change> changes)
{
    const store_moment at = service_moment_of(co_await this_task::loop());
    co_return locked(
        [&](store_model& model) { return store_detail::write_documents(model.tables(), std::move(changes), at); });
}

task<std::optional<stored_document>> memory_service::read(document_key key)
{
    co_return locked([&](store_model& model) { return store_detail::read_document(model.tables(), key); });
}

task<document_page> memory_service::search(document_query query)
{
    co_return locked([&](store_model& model) { return store_detail::search_documents(model.tables(), query); });
}

task<std::size_t> memory_service::count(document_query query)
{
    co_return locked([&](store_model& model) { return store_detail::count_documents(model.tables(), query); });
}

task<std::vector<stored_document>> memory_service::take_due(std::string kind, std::chrono::milliseconds lease,
                                                            std::size_t count_max)
{
    const store_moment at = service_moment_of(co_await this_task::loop());
    co_return locked([&](store_model& model) {
        return store_detail::take_due_documents(model.tables(), kind, lease, count_max, at);
    });
}

task<std::size_t> memory_service::erase_due(std::string kind, std::size_t count_max)
{
    const store_moment at = service_moment_of(co_await this_task::loop());
    co_return locked(
        [&](store_model& model) { return store_detail::erase_due_documents(model.tables(), kind, count_max, at); });
}

task<run_page> memory_service::search(run_query query)
{
    co_return locked([&](store_model& model) { return store_detail::search_runs(model.tables(), query); });
}

task<std::size_t> memory_service::count(run_query query)
{
    co_return locked([&](store_model& model) { return store_detail::count_runs(model.tables(), query); });
}

task<bool> memory_service::cancel_queued(run_id run)
{
    const store_moment at = service_moment_of(co_await this_task::loop());
    const bool is_cancelled = locked([&](store_model& model) { return model.cancel_queued(run, at); });
    store_detail::announce_changes(news_, is_cancelled);
    co_return is_cancelled;
}

task<bool> memory_service::remove(run_id run)
{
    const store_moment at = service_moment_of(co_await this_task::loop());
    co_return locked([&](store_model& model) { return model.remove(run, at); });
}

task<std::size_t> memory_service::forget_idle_limits()
{
    const store_moment at = service_moment_of(co_await this_task::loop());
    co_return locked(
        [&](store_model& model) { return store_detail::forget_idle_buckets(model.tables(), at.today); });
}

task<bool> memory_service::create(thread_key thread, std::string metadata)
{
    const store_moment at = service_moment_of(co_await this_task::loop());
    co_return locked([&](store_model& model) {
        return store_detail::create_thread(model.tables(), thread, std::move(metadata), at.today);
    });
}

task<std::optional<stored_thread>> memory_service::find(thread_key thread)
{
    co_return locked([&](store_model& model) { return store_detail::find_stored_thread(model.tables(), thread); });
}

task<bool> memory_service::copy(thread_key from, thread_key to, checkpoint_id id)
{
    const serial_loop& loop = co_await this_task::loop();
    const store_moment at{loop.now(), loop.clock().system_now()};
    co_return locked([&](store_model& model) { return store_detail::copy_thread(model, from, to, id, at); });
}

task<bool> memory_service::update(thread_key thread, thread_change change)
{
    co_return locked([&](store_model& model) { return store_detail::update_thread(model.tables(), thread, change); });
}

task<thread_page> memory_service::search(thread_query query)
{
    co_return locked([&](store_model& model) { return store_detail::search_threads(model.tables(), query); });
}

task<std::size_t> memory_service::count(thread_query query)
{
    co_return locked([&](store_model& model) { return store_detail::count_threads(model.tables(), query); });
}

task<std::vector<queue_depth>> memory_service::depths(std::size_t count_max)
{
    co_return locked([&](store_model& model) { return store_detail::queue_depths(model.tables(), count_max); });
}

task<std::vector<dead_runs>> memory_service::dead(std::size_t count_max)
{
    co_return locked([&](store_model& model) { return store_detail::dead_by_graph(model.tables(), count_max); });
}

task<std::vector<unclaimable_runs>> memory_service::unclaimable(std::size_t count_max)
{
    const store_moment at = service_moment_of(co_await this_task::loop());
    co_return locked(
        [&](store_model& model) { return store_detail::runs_no_worker_can(model.tables(), count_max, at); });
}

task<std::vector<listed_worker>> memory_service::workers(std::size_t count_max)
{
    const store_moment at = service_moment_of(co_await this_task::loop());
    co_return locked([&](store_model& model) { return store_detail::list_workers(model.tables(), count_max, at); });
}

}  // namespace weft
