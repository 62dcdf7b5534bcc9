#pragma once

#include "store/postgres/wire/pg_core.hpp"
#include "postgres_directories.hpp"

#include <weft/store/service_store.hpp>

namespace weft::postgres_detail {

/** The roles of a service in a PostgreSQL database.
 *
 *  @par Lifetimes   The core outlives it.
 */
class postgres_service final : public service_store,
                               public run_event_log,
                               public document_store,
                               public queue_view,
                               public shared_rates {
public:
    explicit postgres_service(pg_core& core) noexcept : core_{core}, directories_{core} {}

    [[nodiscard]] run_event_log& run_events() noexcept override { return *this; }
    [[nodiscard]] run_directory& runs() noexcept override { return directories_; }
    [[nodiscard]] thread_directory& threads() noexcept override { return directories_; }
    [[nodiscard]] document_store& documents() noexcept override { return *this; }
    [[nodiscard]] queue_view& queue() noexcept override { return *this; }
    [[nodiscard]] shared_rates& rates() noexcept override { return *this; }

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

    [[nodiscard]] task<std::vector<queue_depth>> depths(std::size_t count_max) override;
    [[nodiscard]] task<std::vector<unclaimable_runs>> unclaimable(std::size_t count_max) override;
    [[nodiscard]] task<std::vector<dead_runs>> dead(std::size_t count_max) override;
    [[nodiscard]] task<std::vector<listed_worker>> workers(std::size_t count_max) override;

    [[nodiscard]] task<rate_standing> claim(rate_claim what) override;

private:
    pg_core& core_;
    postgres_directories directories_;
};

}  // namespace weft::postgres_detail
