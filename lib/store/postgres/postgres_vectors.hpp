#pragma once

#include "store/postgres/wire/pg_core.hpp"

#include <weft/store/item_vectors.hpp>

namespace weft::postgres_detail {

/** Vectors beside the items of a PostgreSQL database. A search reads them slice by slice and compares them here: the
 *  server has no fast way to multiply arrays by itself.
 *
 *  @par Lifetimes   The core outlives it.
 */
class postgres_vectors final : public item_vectors {
public:
    explicit postgres_vectors(pg_core& core) noexcept : core_{core} {}

    [[nodiscard]] task<void> put_with_vector(std::string tenant, item_key key, boost::json::value value,
                                             item_vector vector,
                                             std::optional<std::chrono::milliseconds> lifetime) override;
    [[nodiscard]] task<std::vector<item_match>> nearest(std::string tenant, std::vector<std::string> space,
                                                        vector_query query) override;

private:
    pg_core& core_;
};

}  // namespace weft::postgres_detail
