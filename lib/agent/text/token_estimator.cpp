#include <weft/agent/text/token_estimator.hpp>

#include <algorithm>

namespace weft {

namespace {

constexpr std::int64_t counted_min = 100;
constexpr std::int64_t counted_max = std::int64_t{1} << 40;  // far from the ends of 64 bits when multiplied

std::int64_t sane(std::int64_t factor) noexcept
{
    return std::clamp(factor, token_estimator::unit / 4, token_estimator::unit * 4);
}

}  // namespace

void token_estimator::learn(tokens estimated, const usage& reported) noexcept
{
    if (!reported.is_exact() || reported.input.count() <= 0 || estimated.count() < counted_min) return;
    const std::int64_t count = std::min(reported.input.count(), counted_max);
    const std::int64_t seen = sane(count * unit / std::min(estimated.count(), counted_max));
    const std::int64_t way = seen - sane(factor);
    factor = sane(factor) + (way > 0 ? (way + 1) / 2 : way / 8);
    ++lessons;
}

void token_estimator::was_too_low() noexcept
{
    factor = sane(sane(factor) * 5 / 4);
    ++lessons;
}

tokens token_estimator::corrected(tokens estimated) const noexcept
{
    const std::int64_t count = std::clamp(estimated.count(), std::int64_t{0}, counted_max);
    return tokens{(count * sane(factor) + unit - 1) / unit};
}

tokens token_estimator::estimate_for(tokens budget) const noexcept
{
    return tokens{std::clamp(budget.count(), std::int64_t{0}, counted_max) * unit / sane(factor)};
}

}  // namespace weft
