#pragma once

#include <boost/json/value.hpp>

#include <compare>

namespace weft::schema_detail {

/** Compares two JSON numbers exactly, whatever their kinds. */
[[nodiscard]] std::partial_ordering compare_numbers(const boost::json::value& a, const boost::json::value& b) noexcept;

/** Whether a JSON number has no fraction: 3 and 3.0. */
[[nodiscard]] bool is_whole(const boost::json::value& number) noexcept;

/** Whether a number is a multiple of another one, which is greater than 0: exactly, of the decimal texts that JSON
 *  writes, so that 0.3 is a multiple of 0.1. */
[[nodiscard]] bool is_multiple(const boost::json::value& number, const boost::json::value& of);

}  // namespace weft::schema_detail
