#include <weft/agent/turn_agent/turn_environment.hpp>

#include <weft/base/error.hpp>

#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace weft {

namespace {

struct budget_variable {
    std::string name;
    std::string text;
};

std::optional<budget_variable> find_variable(const environment_lookup& lookup, const std::string& name)
{
    for (const std::string& full : {"IVY_" + name, name})
        if (std::optional<std::string> text = lookup(full); text && !text->empty())
            return budget_variable{full, std::move(*text)};
    return std::nullopt;
}

[[noreturn]] void refuse_variable(const budget_variable& of, std::string_view wanted)
{
    throw error{errc::invalid_configuration, of.name, "'" + of.text + "' is not " + std::string{wanted}};
}

template <class Number>
std::optional<Number> whole_number(const environment_lookup& lookup, const std::string& name)
{
    const std::optional<budget_variable> found = find_variable(lookup, name);
    if (!found) return std::nullopt;
    Number value = 0;
    const char* const end = found->text.data() + found->text.size();
    const auto [at, failed] = std::from_chars(found->text.data(), end, value);
    if (failed != std::errc{} || at != end || value < 0)
        refuse_variable(*found, "a whole number from 0 to " + std::to_string(std::numeric_limits<Number>::max()));
    return value;
}

std::optional<usd_micros> dollars(const environment_lookup& lookup, const std::string& name)
{
    constexpr double most = 1e12;
    const std::optional<budget_variable> found = find_variable(lookup, name);
    if (!found) return std::nullopt;
    double value = 0;
    const char* const end = found->text.data() + found->text.size();
    const auto [at, failed] = std::from_chars(found->text.data(), end, value, std::chars_format::fixed);
    const bool is_amount = failed == std::errc{} && at == end && value >= 0 && value <= most;
    if (!is_amount) refuse_variable(*found, "an amount in US dollars, such as 2.50");
    return usd_micros{std::llround(value * 1e6)};
}

}  // namespace

turn_budget budget_from_environment(const environment_lookup& lookup, turn_budget otherwise)
{
    turn_budget budget = otherwise;
    if (const auto count = whole_number<std::uint32_t>(lookup, "MAX_TURNS")) budget.turns_max = *count;
    if (const auto count = whole_number<std::int64_t>(lookup, "MAX_TOKENS")) budget.tokens_max = tokens{*count};
    if (const auto amount = dollars(lookup, "COST_CAP")) budget.cost_max = *amount;
    if (const auto count = whole_number<std::int64_t>(lookup, "TIMEOUT_MS"))
        budget.elapsed_max = std::chrono::milliseconds{*count};
    if (const auto count = whole_number<std::uint32_t>(lookup, "MAX_TOOL_CALLS")) budget.tool_calls_max = *count;
    return budget;
}

}  // namespace weft
