#pragma once

#include "sql_result.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace weft::postgres_detail {

/** What a request came to. */
struct sql_answer {
    sql_answer() noexcept {}

    std::vector<sql_result> results;  ///< One for each step; none of a commit that shared a statement.
    std::optional<std::int64_t> head{};  ///< Of a commit: the number of its checkpoint; nothing if it was refused.
    bool is_duplicate = false;        ///< A unique index has its key already; nothing was done.
    bool is_announced = false;        ///< The notice of the request has gone out to other processes.
};

}  // namespace weft::postgres_detail
