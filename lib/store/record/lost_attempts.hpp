#pragma once

#include <weft/store/record/run_record.hpp>

#include <string>
#include <string_view>
#include <vector>

/** Attempts of a run that came to nothing, as databases keep them: of each the moment in microseconds since 1970 and
 *  the length of its cause, both big-endian, then the cause. PostgreSQL appends to them in SQL. */
namespace weft::store_detail {

/** A cause that is not so long that ten of them weigh on every look at the run. What is sealed cannot be cut. */
[[nodiscard]] std::string bounded_cause(std::string cause);
void add_lost_attempt(std::vector<lost_attempt>& to, wall_time at, std::string cause);
[[nodiscard]] std::string packed(const std::vector<lost_attempt>& attempts);
/** @return  What is readable. */
[[nodiscard]] std::vector<lost_attempt> unpacked(std::string_view bytes);

}  // namespace weft::store_detail
