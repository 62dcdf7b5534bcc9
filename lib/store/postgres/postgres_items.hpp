#pragma once

#include "store/postgres/wire/pg_core.hpp"

#include <weft/store/item_store.hpp>

namespace weft::postgres_detail {

/** Items in a PostgreSQL database.
 *
 *  @par Lifetimes   The core outlives it.
 */
class postgres_items final : public item_store {
public:
    explicit postgres_items(pg_core& core) noexcept : core_{core} {}

    [[nodiscard]] task<void> put(std::string tenant, item_key key, boost::json::value value,
                                 std::optional<std::chrono::milliseconds> lifetime) override;
    [[nodiscard]] task<std::optional<stored_item>> get(std::string tenant, item_key key) override;
    [[nodiscard]] task<bool> erase(std::string tenant, item_key key) override;
    [[nodiscard]] task<std::vector<stored_item>> list(std::string tenant, std::vector<std::string> space,
                                                      std::optional<item_key> after, std::size_t max) override;
    [[nodiscard]] task<std::size_t> sweep(std::size_t max) override;

private:
    pg_core& core_;
};

}  // namespace weft::postgres_detail
