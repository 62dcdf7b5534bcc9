#include <boost/test/unit_test.hpp>

#include "noting_timer.hpp"

#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/loop/timer_wheel.hpp>
#include <weft/base/random.hpp>
#include <weft/testing/simulation.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

BOOST_AUTO_TEST_SUITE(timer_wheel_test)

namespace {

using namespace std::chrono_literals;
using weft::loop_timer;
using weft::time_point;
using weft::timer_wheel;
using weft_tests::noting_timer;

struct armed {
    time_point deadline;
    int order;
    int index;
};

bool earlier(const armed& a, const armed& b)
{
    return a.deadline != b.deadline ? a.deadline < b.deadline : a.order < b.order;
}

/** The same operations on a wheel and on a plain list. */
class wheel_and_model {
public:
    explicit wheel_and_model(int count)
    {
        for (int i = 0; i < count; ++i) timers_.push_back(std::make_unique<noting_timer>(sim_.loop(), fired_, i));
    }

    /** The deadline that fired last, or what `pass` came to. */
    [[nodiscard]] time_point now() const { return now_; }
    /** Time passes up to the first timer that is due, or so far. */
    void pass(std::chrono::nanoseconds most)
    {
        if (!wheel_.empty()) most = std::min(most, wheel_.earliest() - now_ - 1ns);
        if (most <= 0ns) return;
        now_ += most;
        BOOST_TEST(!wheel_.fire_due(now_));
    }
    void arm(int index, time_point deadline)
    {
        disarm(index);
        wheel_.insert(timers_[static_cast<std::size_t>(index)]->timer.item(), deadline, now_);
        model_.push_back({deadline, order_++, index});
    }
    void disarm(int index)
    {
        loop_timer& timer = timers_[static_cast<std::size_t>(index)]->timer;
        if (!timer.is_armed()) return;
        wheel_.erase(timer.item());
        model_.erase(std::find_if(model_.begin(), model_.end(), [&](const armed& a) { return a.index == index; }));
    }
    void fire()
    {
        if (wheel_.empty()) return;
        const auto first = std::min_element(model_.begin(), model_.end(), earlier);
        expected_.push_back(first->index);
        now_ = std::max(now_, first->deadline);
        model_.erase(first);
        wheel_.fire_due(wheel_.earliest());
    }

    [[nodiscard]] bool agree() const
    {
        if (wheel_.size() != model_.size() || fired_ != expected_) return false;
        if (wheel_.empty()) return model_.empty();
        return wheel_.earliest() == std::min_element(model_.begin(), model_.end(), earlier)->deadline;
    }
    [[nodiscard]] timer_wheel& wheel() { return wheel_; }
    [[nodiscard]] std::size_t fired() const { return fired_.size(); }

private:
    weft::testing::simulation sim_{1};
    std::vector<int> fired_;
    std::vector<int> expected_;
    timer_wheel wheel_;  // not the loop's: cleared before the timers die
    std::vector<std::unique_ptr<noting_timer>> timers_;
    std::vector<armed> model_;
    int order_ = 0;
    time_point now_{};
};

// How far deadlines lie apart: within the first level of the wheel, and across all of them. A timer that fires moves
// the wheel on, so that deadlines before it are overdue.
constexpr std::chrono::nanoseconds ranges[] = {25ms, 25ms, 300ms, 20s, 20min, 24h, 24h * 400, 24h * 36'500};

time_point random_deadline(weft::random_source& random)
{
    const auto range = static_cast<std::uint64_t>(ranges[random.below(std::size(ranges))].count());
    const std::chrono::nanoseconds exact{random.below(range)};
    return time_point{random.below(4) == 0 ? exact : std::chrono::ceil<std::chrono::milliseconds>(exact)};
}

BOOST_AUTO_TEST_CASE(any_sequence_of_operations_fires_as_a_sorted_list_would)
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        weft::random_source random{seed};
        constexpr int count = 60;
        wheel_and_model both{count};
        bool agree = true;
        for (int step = 0; step < 2'000 && agree; ++step) {
            const int index = static_cast<int>(random.below(count));
            switch (random.below(4)) {
            case 0:
            case 1: {
                const auto delay = random_deadline(random).time_since_epoch();
                const bool is_overdue = random.below(16) == 0;
                both.arm(index, is_overdue ? both.now() - std::min(delay, both.now().time_since_epoch())
                                           : both.now() + delay);
                break;
            }
            case 2: both.disarm(index); break;
            default: random.below(8) == 0 ? both.pass(random_deadline(random).time_since_epoch()) : both.fire();
            }
            agree = both.agree();
        }
        BOOST_TEST_CONTEXT("seed " << seed) BOOST_TEST(agree);
        BOOST_TEST(both.fired() > 100U);
        both.wheel().clear();
        BOOST_TEST(both.wheel().empty());
    }
}

BOOST_AUTO_TEST_CASE(nothing_fires_before_its_time_and_stops_are_few)
{
    weft::testing::simulation sim{1};
    timer_wheel wheel;
    std::vector<int> fired;
    noting_timer one{sim.loop(), fired, 1};
    for (const std::chrono::nanoseconds delay : ranges) {
        const time_point deadline{std::chrono::ceil<std::chrono::milliseconds>(delay)};
        wheel.insert(one.timer.item(), deadline, time_point{});
        // A loop sleeps from stop to stop: there is one for each level that the timer moves down.
        int stops = 0;
        while (!wheel.empty() && ++stops < 10) {
            const time_point stop = wheel.next_stop();
            BOOST_TEST((stop <= deadline));
            BOOST_TEST(!wheel.fire_due(stop - 1ns));
            BOOST_TEST(wheel.fire_due(stop) == (stop == deadline));
        }
        BOOST_TEST(wheel.empty());
    }
    BOOST_TEST(fired.size() == std::size(ranges));
}

BOOST_AUTO_TEST_CASE(cleared_timers_are_disarmed)
{
    weft::testing::simulation sim{1};
    timer_wheel wheel;
    loop_timer one{sim.loop(), [](void*) { BOOST_ERROR("it was disarmed"); }, nullptr};
    wheel.insert(one.item(), time_point{1ms}, time_point{});
    BOOST_TEST(one.is_armed());
    wheel.clear();
    BOOST_TEST(!one.is_armed());
    BOOST_TEST(wheel.empty());
}

std::vector<int> firing_order(std::uint64_t seed)
{
    weft::testing::simulation sim{1};
    std::vector<int> fired;
    std::vector<std::unique_ptr<noting_timer>> timers;
    weft::random_source order{seed};
    timer_wheel wheel;
    wheel.permute_equal(&order);
    for (int i = 0; i < 8; ++i) {
        timers.push_back(std::make_unique<noting_timer>(sim.loop(), fired, i));
        wheel.insert(timers.back()->timer.item(), time_point{i < 7 ? 5ms : 4ms}, time_point{});
    }
    while (!wheel.empty()) wheel.fire_due(5ms + time_point{});
    return fired;
}

BOOST_AUTO_TEST_CASE(a_seed_permutes_equal_deadlines_and_only_these)
{
    const std::vector<int> one = firing_order(1);
    BOOST_TEST(one == firing_order(1), boost::test_tools::per_element());
    BOOST_TEST((one != firing_order(2) || one != firing_order(3)));
    BOOST_TEST(one.front() == 7);
    BOOST_TEST(!std::is_sorted(one.begin() + 1, one.end()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
