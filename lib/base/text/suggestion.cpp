#include <weft/base/suggestion.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace weft {

namespace {

constexpr std::size_t length_max = 64;  // longer names are not compared

/** Letters to insert, remove, replace or swap with their neighbour (optimal string alignment). */
std::size_t distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> previous(b.size() + 1);
    std::vector<std::size_t> current(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        current[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
            const bool swaps = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swaps) current[j] = std::min(current[j], before[j - 2] + 1);
        }
        before.swap(previous);
        previous.swap(current);
    }
    return previous[b.size()];
}

}  // namespace

std::string_view closest_name(std::string_view wrong, std::span<const std::string_view> known)
{
    std::string_view best;
    std::size_t nearest = std::max<std::size_t>(1, wrong.size() / 3) + 1;
    if (wrong.size() > length_max) return best;
    for (const std::string_view name : known) {
        if (name.size() > length_max) continue;
        const std::size_t steps = distance(wrong, name);
        if (steps >= nearest || steps >= std::max(wrong.size(), name.size())) continue;
        nearest = steps;
        best = name;
    }
    return best;
}

std::string did_you_mean(std::string_view wrong, std::span<const std::string_view> known)
{
    const std::string_view close = closest_name(wrong, known);
    return close.empty() ? std::string{} : " (did you mean '" + std::string{close} + "'?)";
}

}  // namespace weft
