#pragma once

#include <chrono>
#include <functional>
#include <random>

namespace weft_bench {

/** Many runs at once, three nodes each, every node waiting for a while. */
struct in_flight_load {
    int runs = 0;
    std::chrono::microseconds wait_min{5'000};
    std::chrono::microseconds wait_max{50'000};
};

/** How long the nodes wait: even, and the same for weft and for the floor. */
class wait_times {
public:
    explicit wait_times(const in_flight_load& load) : spread_{load.wait_min.count(), load.wait_max.count()} {}
    [[nodiscard]] std::chrono::microseconds next() { return std::chrono::microseconds{spread_(source_)}; }

private:
    std::minstd_rand source_{1};
    std::uniform_int_distribution<std::chrono::microseconds::rep> spread_;
};

/** Runs the load to its end. @param all_started  Called when every run waits in its first node. */
void run_in_flight_with_weft(const in_flight_load& load, const std::function<void()>& all_started);
void run_in_flight_by_hand(const in_flight_load& load, const std::function<void()>& all_started);

}  // namespace weft_bench
