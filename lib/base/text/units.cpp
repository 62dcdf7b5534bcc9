#include <weft/base/units.hpp>

namespace weft {

std::string to_string(tokens amount)
{
    return std::to_string(amount.count()).append(amount.count() == 1 ? " token" : " tokens");
}

std::string to_string(usd_micros amount)
{
    constexpr std::uint64_t micros_per_usd = 1'000'000;
    const bool is_negative = amount.count() < 0;
    auto micros = static_cast<std::uint64_t>(amount.count());
    if (is_negative) micros = 0 - micros;

    // The leading one keeps the zeros behind the point.
    std::string decimals = std::to_string(micros_per_usd + micros % micros_per_usd).substr(1);
    while (decimals.size() > 2 && decimals.back() == '0') decimals.pop_back();
    return (is_negative ? "-$" : "$") + std::to_string(micros / micros_per_usd) + '.' + decimals;
}

}  // namespace weft
