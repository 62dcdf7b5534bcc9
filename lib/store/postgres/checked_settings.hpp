#pragma once

#include "store/postgres/wire/pg_settings.hpp"

#include <weft/store/postgres/postgres_options.hpp>

namespace weft::postgres_detail {

/** What a program asks for, as the connections use it. @par Errors  `errc::invalid_configuration`: what cannot be. */
[[nodiscard]] pg_settings checked(const postgres_options& options);

}  // namespace weft::postgres_detail
