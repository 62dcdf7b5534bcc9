#include <boost/test/unit_test.hpp>

#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/loop/timer_heap.hpp>
#include <weft/base/random.hpp>
#include <weft/testing/simulation.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

BOOST_AUTO_TEST_SUITE(timer_heap_test)

namespace {

using namespace std::chrono_literals;
using weft::loop_timer;
using weft::time_point;
using weft::timer_heap;

/** A timer that notes its index when it fires, and what a sorted list would say about it. */
struct model_timer {
    model_timer(weft::serial_loop& loop, std::vector<int>& fired, int index)
        : fired{fired}, index{index}, timer{loop,
                                            [](void* self) {
                                                auto& me = *static_cast<model_timer*>(self);
                                                me.fired.push_back(me.index);
                                            },
                                            this}
    {
    }
    std::vector<int>& fired;
    int index;
    loop_timer timer;
};

struct armed {
    time_point deadline;
    int order;
    int index;
};

bool earlier(const armed& a, const armed& b)
{
    return a.deadline != b.deadline ? a.deadline < b.deadline : a.order < b.order;
}

/** The same operations on a heap and on a plain list. */
class heap_and_model {
public:
    explicit heap_and_model(int count)
    {
        for (int i = 0; i < count; ++i) timers_.push_back(std::make_unique<model_timer>(sim_.loop(), fired_, i));
    }

    void arm(int index, time_point deadline)
    {
        disarm(index);
        heap_.insert(timers_[static_cast<std::size_t>(index)]->timer, deadline);
        model_.push_back({deadline, order_++, index});
    }
    void disarm(int index)
    {
        loop_timer& timer = timers_[static_cast<std::size_t>(index)]->timer;
        if (!timer.is_armed()) return;
        heap_.erase(timer);
        model_.erase(std::find_if(model_.begin(), model_.end(), [&](const armed& a) { return a.index == index; }));
    }
    void fire()
    {
        if (heap_.empty()) return;
        const auto first = std::min_element(model_.begin(), model_.end(), earlier);
        expected_.push_back(first->index);
        model_.erase(first);
        heap_.fire_earliest();
    }

    [[nodiscard]] bool agree() const
    {
        if (heap_.size() != model_.size() || fired_ != expected_) return false;
        if (heap_.empty()) return model_.empty();
        return heap_.earliest() == std::min_element(model_.begin(), model_.end(), earlier)->deadline;
    }
    [[nodiscard]] timer_heap& heap() { return heap_; }
    [[nodiscard]] std::size_t fired() const { return fired_.size(); }

private:
    weft::testing::simulation sim_{1};
    std::vector<int> fired_;
    std::vector<int> expected_;
    timer_heap heap_;  // not the loop's: cleared before the timers die
    std::vector<std::unique_ptr<model_timer>> timers_;
    std::vector<armed> model_;
    int order_ = 0;
};

BOOST_AUTO_TEST_CASE(any_sequence_of_operations_fires_as_a_sorted_list_would)
{
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        weft::random_source random{seed};
        constexpr int count = 60;
        heap_and_model both{count};
        bool agree = true;
        for (int step = 0; step < 2'000 && agree; ++step) {
            const int index = static_cast<int>(random.below(count));
            switch (random.below(4)) {
            case 0:
            case 1: both.arm(index, time_point{std::chrono::milliseconds{random.below(25)}}); break;
            case 2: both.disarm(index); break;
            default: both.fire();
            }
            agree = both.agree();
        }
        BOOST_TEST_CONTEXT("seed " << seed) BOOST_TEST(agree);
        BOOST_TEST(both.fired() > 100U);
        both.heap().clear();
        BOOST_TEST(both.heap().empty());
    }
}

BOOST_AUTO_TEST_CASE(cleared_timers_are_disarmed)
{
    weft::testing::simulation sim{1};
    timer_heap heap;
    loop_timer one{sim.loop(), [](void*) { BOOST_ERROR("it was disarmed"); }, nullptr};
    heap.insert(one, time_point{1ms});
    BOOST_TEST(one.is_armed());
    heap.clear();
    BOOST_TEST(!one.is_armed());
    BOOST_TEST(heap.empty());
}

std::vector<int> firing_order(std::uint64_t seed)
{
    weft::testing::simulation sim{1};
    std::vector<int> fired;
    std::vector<std::unique_ptr<model_timer>> timers;
    weft::random_source order{seed};
    timer_heap heap;
    heap.permute_equal(&order);
    for (int i = 0; i < 8; ++i) {
        timers.push_back(std::make_unique<model_timer>(sim.loop(), fired, i));
        heap.insert(timers.back()->timer, time_point{i < 7 ? 5ms : 4ms});
    }
    while (!heap.empty()) heap.fire_earliest();
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
