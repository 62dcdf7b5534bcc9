#pragma once

#include "store/postgres/sql/sql_statement.hpp"

#include <weft/store/item_store.hpp>

#include <boost/json/value.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

/** The parameters that statements about items begin with. */
namespace weft::postgres_detail {

/** Tenant, space and name. */
[[nodiscard]] sql_parameters naming_item(const std::string& tenant, const item_key& key);

/** All of `sql::put_item`.
 *  @par Errors   `errc::limit_reached` for what no store takes. */
[[nodiscard]] sql_parameters item_parameters(const std::string& tenant, const item_key& key,
                                             const boost::json::value& value,
                                             std::optional<std::chrono::milliseconds> lifetime);

/** The items of a namespace and of those below it, behind `after`: the tenant, the first space and name, the space
 *  behind them or null, the space and name of `after` or null. */
[[nodiscard]] sql_parameters parameters_of_range(const std::string& tenant, const std::vector<std::string>& space,
                                                 const std::optional<item_key>& after);

}  // namespace weft::postgres_detail
