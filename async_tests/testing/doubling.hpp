#pragma once

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <string>

namespace weft_tests {

/** CPU time of this process, so that what runs beside it counts as little as can be. */
template <class Work>
double seconds_of(Work& work, std::size_t size)
{
    const std::clock_t begin = std::clock();
    work(size);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/** Runs `work` with doubled sizes until a run takes long enough to be measured, and requires that each further doubling
 *  costs at most `factor_max` times as much. Noise comes and goes: what seems to cost more is tried again, and its half
 *  too. */
template <class Work>
void check_growth(const std::string& what, Work work, std::size_t size, double factor_max, int doublings = 3)
{
    constexpr double measurable = 0.002;
    constexpr std::size_t size_max = std::size_t{1} << 20;  // a reader that gives up early is never slow enough
    constexpr int tries_max = 6;
    double before = seconds_of(work, size);
    while (before < measurable && size < size_max) before = seconds_of(work, size *= 2);
    for (int doubling = 0; doubling < doublings && size < size_max; ++doubling) {
        double now = seconds_of(work, size *= 2);
        for (int i = 1; i < tries_max && now > factor_max * before; ++i) {
            before = std::max(before, seconds_of(work, size / 2));
            now = std::min(now, seconds_of(work, size));
        }
        BOOST_TEST(now <= factor_max * before,
                   what << ": size " << size << " took " << now << " s, half of it " << before << " s");
        if (now > factor_max * before) return;  // the next would only take longer
        before = now;
    }
}

/** The same for what is to be linear. */
template <class Work>
void check_linear(const std::string& what, Work work, std::size_t size = 1000)
{
    check_growth(what, work, size, 3.2);
}

}  // namespace weft_tests
