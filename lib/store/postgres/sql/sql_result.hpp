#pragma once

#include <weft/base/clock.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/store/record/content_hash.hpp>

#include <libpq-fe.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::postgres_detail {

/** The rows of a statement, in PostgreSQL's binary form. A value of another shape than expected is `store_corrupt`.
 *
 *  @par Thread safety   As a value: it may go to another OS thread.
 */
class sql_result {
public:
    sql_result() noexcept = default;
    explicit sql_result(PGresult* rows) noexcept : rows_{rows} {}

    [[nodiscard]] PGresult* get() const noexcept { return rows_.get(); }
    [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(PQntuples(rows_.get())); }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }

    [[nodiscard]] bool is_null(std::size_t row, int column) const noexcept;
    /** Text or bytes; empty if null. */
    [[nodiscard]] std::string_view text(std::size_t row, int column) const noexcept;
    /** int2, int4 or int8; 0 if null. */
    [[nodiscard]] std::int64_t integer(std::size_t row, int column) const;
    [[nodiscard]] bool boolean(std::size_t row, int column) const;
    /** Nil if null. */
    [[nodiscard]] unique_id id(std::size_t row, int column) const;
    /** A timestamptz; the epoch of the clock if null. */
    [[nodiscard]] clock::system_time_point moment(std::size_t row, int column) const;
    [[nodiscard]] std::vector<content_hash> hashes(std::size_t row, int column) const;
    /** A text[]. */
    [[nodiscard]] std::vector<std::string> texts(std::size_t row, int column) const;

private:
    struct clearer {
        void operator()(PGresult* rows) const noexcept { PQclear(rows); }
    };
    [[noreturn]] void refuse(std::size_t row, int column, const char* expected) const;

    std::unique_ptr<PGresult, clearer> rows_;
};

/** Nanoseconds since 1970: what a column of a process's own time has. */
[[nodiscard]] std::int64_t nanoseconds_of(clock::system_time_point moment) noexcept;
[[nodiscard]] clock::system_time_point moment_of(std::int64_t nanoseconds) noexcept;

}  // namespace weft::postgres_detail
