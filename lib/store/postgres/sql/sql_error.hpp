#pragma once

#include <weft/base/error.hpp>

#include <string>
#include <string_view>

namespace weft::postgres_detail {

/** What the failure of a statement or of a connection means for what was asked. */
enum class failure_kind : unsigned char {
    refused,      ///< It will be refused again: `error` says why.
    duplicate,    ///< A unique index has the key already.
    again,        ///< Two transactions were in each other's way: nothing was done, do it again.
    unavailable,  ///< Nothing was done; later it may work.
    lost,         ///< The connection is gone, and what was under way may have been done.
};

/** What went wrong, by the server's own code. */
struct sql_failure {
    sql_failure() noexcept {}

    failure_kind kind = failure_kind::refused;
    errc code = errc::store_refused;
    std::string sqlstate;  ///< Empty if the client library failed by itself.
    std::string detail;
};

/** @param sqlstate  Five characters; empty if the client library failed by itself.
 *  @param message   The server's words, without a trailing line break. They go into the error: no secrets. */
[[nodiscard]] sql_failure failure_of(std::string_view sqlstate, std::string_view message);

/** Whether a connection that was refused with this code is worth another attempt by itself. */
[[nodiscard]] bool is_passing(const sql_failure& failure) noexcept;

}  // namespace weft::postgres_detail
