#pragma once

#include "store/postgres/wire/pg_core.hpp"

#include <weft/store/role/run_directory.hpp>
#include <weft/store/role/thread_directory.hpp>

namespace weft::postgres_detail {

/** Runs and threads in a PostgreSQL database as lists.
 *
 *  @par Lifetimes   The core outlives it.
 */
class postgres_directories final : public run_directory, public thread_directory {
public:
    explicit postgres_directories(pg_core& core) noexcept : core_{core} {}

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

private:
    pg_core& core_;
};

}  // namespace weft::postgres_detail
