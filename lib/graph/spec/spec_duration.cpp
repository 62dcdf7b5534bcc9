#include <weft/graph/spec/spec_duration.hpp>

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>

namespace weft {

namespace {

constexpr std::array<std::pair<std::string_view, std::int64_t>, 6> units{{
    {"h", 3'600'000'000'000}, {"m", 60'000'000'000}, {"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1},
}};

}  // namespace

std::string spec_duration::text() const
{
    const std::int64_t count = span_.count();
    if (count == 0) return "0s";
    for (const auto& [unit, size] : units)
        if (count % size == 0) return std::to_string(count / size).append(unit);
    return {};
}

std::optional<spec_duration> spec_duration::parse(std::string_view text)
{
    std::uint64_t count = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (failed != std::errc{}) return std::nullopt;
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    for (const auto& [name, size] : units) {
        if (name != unit) continue;
        if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / size)) return std::nullopt;
        return spec_duration{std::chrono::nanoseconds{static_cast<std::int64_t>(count) * size}};
    }
    return std::nullopt;
}

}  // namespace weft
