#pragma once

#include "sqlite_core.hpp"
#include "store/role/whole_service.hpp"

#include <weft/store/role/store_news.hpp>

namespace weft::sqlite_detail {

/** The roles of a service in a SQLite file.
 *
 *  @par Lifetimes   The core and the news outlive it.
 */
class sqlite_service final : public store_detail::whole_service {
public:
    sqlite_service(core& core, store_news& news) noexcept : core_{core}, news_{news} {}

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
    core& core_;
    store_news& news_;
};

}  // namespace weft::sqlite_detail
