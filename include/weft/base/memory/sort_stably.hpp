#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace weft {

/** As `std::stable_sort`, which libstdc++ writes with a function that clang warns of. Items need only be movable.
 *
 *  @par Complexity   O(n log n) comparisons, and memory for n places and n items.
 */
template <class T, class Less>
void sort_stably(std::vector<T>& items, Less less)
{
    // The places are sorted: of equal items the one that stood before comes first, and each item moves once.
    std::vector<std::size_t> order(items.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (less(items[a], items[b])) return true;
        return !less(items[b], items[a]) && a < b;
    });
    std::vector<T> sorted;
    sorted.reserve(items.size());
    for (const std::size_t place : order) sorted.push_back(std::move(items[place]));
    items = std::move(sorted);
}

}  // namespace weft
