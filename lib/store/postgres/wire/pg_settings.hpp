#pragma once

#include "connection_string.hpp"
#include "embedding_search.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace weft::postgres_detail {

/** How a store uses its server: `postgres_options`, checked. */
struct pg_settings {
    explicit pg_settings(connection_string where) : where{std::move(where)} {}

    connection_string where;
    std::string schema = "weft";  ///< Of letters that need no quoting.
    std::size_t connections = 2;  ///< Beside the one for signs of life.
    std::size_t waiting_max = 10'000;
    std::chrono::milliseconds request_timeout{5'000};
    std::chrono::milliseconds connect_timeout{5'000};
    std::chrono::milliseconds away_timeout{0};
    bool may_migrate = true;
    bool uses_pgvector = true;      ///< Where it is installed.
    bool creates_pgvector = false;  ///< Where it is not.
    std::optional<embedding_index> vector_index;
    bool fills_at_once = false;   ///< Older vectors get their embedding before the store is open, not behind.
    std::shared_ptr<embedding_search> embeddings = std::make_shared<embedding_search>();
    std::string tenant_role = {};   ///< Carries out what is asked for on behalf of a tenant; empty: the login does.
    std::string session_role = {};  ///< That a session takes on; empty: it stays with its login.
    std::string name_servers = {};  ///< `address:port`; empty: those of the system.

    [[nodiscard]] std::string quoted_schema() const { return '"' + schema + '"'; }
};

}  // namespace weft::postgres_detail
