#include "json_equality.hpp"

#include "json_number.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>

namespace weft::schema_detail {

namespace {

constexpr std::size_t bytes_for_step = 64;

bool are_equal_objects(const boost::json::object& a, const boost::json::object& b, work_budget& budget)
{
    if (a.size() != b.size()) return false;
    for (const auto& [name, value] : a) {
        const boost::json::value* const other = b.if_contains(name);
        if (!other || !are_equal(value, *other, budget)) return false;
    }
    return true;
}

bool are_equal_arrays(const boost::json::array& a, const boost::json::array& b, work_budget& budget)
{
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!are_equal(a[i], b[i], budget)) return false;
    return true;
}

constexpr std::size_t mixed(std::size_t seed, std::size_t hash) noexcept
{
    return (seed ^ hash) * 0x9E3779B97F4A7C15ULL + (seed >> 7);
}

std::size_t hash_of_text(std::string_view text, work_budget& budget)
{
    spend(budget, text.size() / bytes_for_step);
    return std::hash<std::string_view>{}(text);
}

/** Of a whole number by its value, so that 1 and 1.0 agree; modulo 2^64 for both signs. */
std::size_t hash_of_number(const boost::json::value& number) noexcept
{
    if (number.is_int64()) return std::hash<std::uint64_t>{}(static_cast<std::uint64_t>(number.get_int64()));
    if (number.is_uint64()) return std::hash<std::uint64_t>{}(number.get_uint64());
    const double real = number.get_double();
    constexpr double beyond = 18446744073709551616.0;  // 2^64
    if (!is_whole(number) || std::abs(real) >= beyond) return std::hash<double>{}(real);
    const auto magnitude = static_cast<std::uint64_t>(std::abs(real));
    return std::hash<std::uint64_t>{}(real < 0 ? 0 - magnitude : magnitude);
}

}  // namespace

void spend(work_budget& budget, std::size_t steps)
{
    if (budget.steps_left < steps) throw work_exceeded{"it would take more steps than a check may take"};
    budget.steps_left -= steps;
}

nesting_guard::nesting_guard(work_budget& budget) : budget_{budget}
{
    if (budget.nesting_left == 0) throw work_exceeded{"it is nested deeper than a check may go"};
    --budget.nesting_left;
}

bool are_equal(const boost::json::value& a, const boost::json::value& b, work_budget& budget)
{
    spend(budget);
    if (a.is_number() && b.is_number()) return compare_numbers(a, b) == std::partial_ordering::equivalent;
    if (a.kind() != b.kind()) return false;
    if (a.is_bool()) return a.get_bool() == b.get_bool();
    if (a.is_null()) return true;
    if (a.is_string()) {
        if (a.get_string().size() != b.get_string().size()) return false;
        spend(budget, a.get_string().size() / bytes_for_step);
        return a.get_string() == b.get_string();
    }
    const nesting_guard deeper{budget};
    if (a.is_array()) return are_equal_arrays(a.get_array(), b.get_array(), budget);
    return are_equal_objects(a.get_object(), b.get_object(), budget);
}

std::size_t hash_of(const boost::json::value& of, work_budget& budget)
{
    spend(budget);
    if (of.is_null()) return 1;
    if (of.is_bool()) return of.get_bool() ? 3 : 2;
    if (of.is_number()) return mixed(4, hash_of_number(of));
    if (of.is_string()) return mixed(5, hash_of_text({of.get_string().data(), of.get_string().size()}, budget));
    const nesting_guard deeper{budget};
    if (of.is_array()) {
        std::size_t hash = 6;
        for (const boost::json::value& item : of.get_array()) hash = mixed(hash, hash_of(item, budget));
        return hash;
    }
    std::size_t sum = 7;  // the same whatever the order
    for (const auto& [name, value] : of.get_object())
        sum += mixed(hash_of_text({name.data(), name.size()}, budget), hash_of(value, budget));
    return sum;
}

}  // namespace weft::schema_detail
