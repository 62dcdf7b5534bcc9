#pragma once

#include "store/role/whole_service.hpp"

#include <weft/store/record/store_model.hpp>
#include <weft/store/role/store_news.hpp>

#include <mutex>

namespace weft {

/** The roles of a service on the tables of a `memory_store`, under its lock.
 *
 *  @par Lifetimes   The lock, the model and the news outlive it.
 */
class memory_service final : public store_detail::whole_service {
public:
    memory_service(std::mutex& mutex, store_model& model, store_news& news) noexcept
        : mutex_{mutex}, model_{model}, news_{news}
    {
    }

    [[nodiscard]] task<event_append> append(write_fence by, std::vector<event_draft> events,
                                            event_log_limits limits) override;
    [[nodiscard]] task<event_page> read(run_id run, std::uint64_t after, std::size_t count_max) override;
    [[nodiscard]] task<event_prune> prune(std::chrono::milliseconds over_for, std::size_t events_max) override;

    [[nodiscard]] task<bool> write(std::vector<document_change> changes) override;
    [[nodiscard]] task<std::optional<stored_document>> read(document_key key) override;
    [[nodiscard]] task<document_page> search(document_query query) override;
    [[nodiscard]] task<std::size_t> count(document_query query) override;
    [[nodiscard]] task<std::vector<stored_document>> take_due(std::string kind, std::chrono::milliseconds lease,
                                                              std::size_t count_max) override;
    [[nodiscard]] task<std::size_t> erase_due(std::string kind, std::size_t count_max) override;

    [[nodiscard]] task<run_page> search(run_query query) override;
    [[nodiscard]] task<std::size_t> count(run_query query) override;
    [[nodiscard]] task<bool> cancel_queued(run_id run) override;
    [[nodiscard]] task<bool> remove(run_id run) override;
    [[nodiscard]] task<std::size_t> forget_idle_limits() override;

    [[nodiscard]] task<bool> create(thread_key thread, std::string metadata) override;
    [[nodiscard]] task<bool> copy(thread_key from, thread_key to, checkpoint_id id) override;
    [[nodiscard]] task<std::optional<stored_thread>> find(thread_key thread) override;
    [[nodiscard]] task<bool> update(thread_key thread, thread_change change) override;
    [[nodiscard]] task<thread_page> search(thread_query query) override;
    [[nodiscard]] task<std::size_t> count(thread_query query) override;

    [[nodiscard]] task<std::vector<queue_depth>> depths(std::size_t count_max) override;
    [[nodiscard]] task<std::vector<unclaimable_runs>> unclaimable(std::size_t count_max) override;
    [[nodiscard]] task<std::vector<dead_runs>> dead(std::size_t count_max) override;
    [[nodiscard]] task<std::vector<listed_worker>> workers(std::size_t count_max) override;

private:
    template <class Decide>
    auto locked(const Decide& decide)
    {
        const std::lock_guard lock{mutex_};
        return decide(model_);
    }

    std::mutex& mutex_;
    store_model& model_;
    store_news& news_;
};

}  // namespace weft
