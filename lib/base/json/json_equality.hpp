#pragma once

#include <boost/json/value.hpp>

#include <cstddef>

namespace weft::schema_detail {

/** The work that a check may still do. */
struct work_budget {
    std::size_t steps_left;
    std::size_t nesting_left;
};

/** Compares values as JSON Schema does: 1 and 1.0 are equal, members have no order. One step for each value.
 *
 *  @par Errors   `work_exceeded`. */
[[nodiscard]] bool are_equal(const boost::json::value& a, const boost::json::value& b, work_budget& budget);

/** Equal values have equal hashes. One step for each value, and more for long texts.
 *
 *  @par Errors   `work_exceeded`. */
[[nodiscard]] std::size_t hash_of(const boost::json::value& of, work_budget& budget);

/** Thrown when a budget is used up. */
struct work_exceeded {
    const char* what;
};

/** Takes steps away. */
void spend(work_budget& budget, std::size_t steps = 1);

/** One more level of nesting as long as it lives. */
class nesting_guard {
public:
    explicit nesting_guard(work_budget& budget);
    ~nesting_guard() { ++budget_.nesting_left; }
    nesting_guard(const nesting_guard&) = delete;
    nesting_guard& operator=(const nesting_guard&) = delete;

private:
    work_budget& budget_;
};

}  // namespace weft::schema_detail
