#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/store/record/store_model.hpp>
#include <weft/testing/faulty_store.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/testing/store_conformance.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(faulty_store_test)

namespace {

using namespace std::chrono_literals;
using weft::errc;
using weft::task;
using weft::testing::faulty_store;
using weft::testing::simulation;
using weft::testing::store_faults;

/** Enters a worker. @return The error, or `errc{}`. */
task<errc> enter(faulty_store& store)
{
    try {
        static_cast<void>(co_await store.enter("a worker", 1h));
    } catch (const weft::error& e) {
        co_return e.code();
    }
    co_return errc{};
}

task<errc> read(faulty_store& store)
{
    try {
        static_cast<void>(co_await store.load(weft::thread_key{"t"}, std::nullopt));
    } catch (const weft::error& e) {
        co_return e.code();
    }
    co_return errc{};
}

/** How many workers the store has seen enter. */
weft::worker_id entered(weft::memory_store& store)
{
    weft::store_model copy = store.snapshot();
    return copy.enter("one more", 1h, weft::store_moment{}) - 1;
}

struct world {
    explicit world(store_faults faults, std::uint64_t seed = 1) : store{real, faults, seed} {}

    errc enter_one() { return sim.run(enter(store)); }
    errc read_one() { return sim.run(read(store)); }

    simulation sim{1};
    weft::memory_store real{weft::hash_key{}};
    faulty_store store;
};

/** What happened to each of 60 operations, in letters. */
std::string history_of(std::uint64_t seed)
{
    store_faults faults;
    faults.lose_requests(0.2).lose_replies(0.2).deliver_late(0.1).deliver_twice(0.1).be_full(0.1).delay_up_to(50ms);
    world here{faults, seed};
    std::string text;
    for (int i = 0; i < 60; ++i) {
        const errc code = i % 3 == 0 ? here.read_one() : here.enter_one();
        text += std::string{code == errc{} ? "ok" : weft::name_of(code)} + " ";
    }
    return text + std::to_string(entered(here.real)) + " after " + std::to_string(here.sim.elapsed().count());
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_lost_request_does_nothing)
{
    world here{store_faults{}.lose_requests(1)};
    BOOST_TEST((here.enter_one() == errc::store_unavailable));
    BOOST_TEST((here.read_one() == errc::store_unavailable));
    BOOST_TEST(entered(here.real) == 0);
    BOOST_TEST(here.store.operations() == 2U);
    BOOST_TEST(here.store.disturbed() == 2U);
}

BOOST_AUTO_TEST_CASE(a_lost_reply_leaves_what_was_done)
{
    world here{store_faults{}.lose_replies(1)};
    BOOST_TEST((here.enter_one() == errc::store_outcome_unknown));
    BOOST_TEST((here.read_one() == errc::store_unavailable));
    BOOST_TEST(entered(here.real) == 1);
}

BOOST_AUTO_TEST_CASE(a_late_write_takes_place_before_a_later_operation)
{
    world here{store_faults{}.deliver_late(1)};
    BOOST_TEST((here.enter_one() == errc::store_outcome_unknown));
    BOOST_TEST(entered(here.real) == 0);
    here.store.set_faults(store_faults{});
    for (int i = 0; i < 100; ++i) BOOST_TEST((here.read_one() == errc{}));
    BOOST_TEST(entered(here.real) == 1);
}

BOOST_AUTO_TEST_CASE(a_write_that_is_delivered_twice_is_done_twice)
{
    world here{store_faults{}.deliver_twice(1)};
    BOOST_TEST((here.enter_one() == errc{}));
    BOOST_TEST(entered(here.real) == 1);
    here.store.set_faults(store_faults{});
    for (int i = 0; i < 100; ++i) BOOST_TEST((here.read_one() == errc{}));
    BOOST_TEST(entered(here.real) == 2);
}

BOOST_AUTO_TEST_CASE(a_full_store_can_be_read)
{
    world here{store_faults{}.be_full(1)};
    BOOST_TEST((here.enter_one() == errc::store_full));
    BOOST_TEST((here.read_one() == errc{}));
    BOOST_TEST(entered(here.real) == 0);
}

BOOST_AUTO_TEST_CASE(it_crashes_at_the_operation_of_choice_until_it_is_restarted)
{
    for (const auto point :
         {faulty_store::crash_point::before_it_is_done, faulty_store::crash_point::after_it_is_done}) {
        const bool is_done = point == faulty_store::crash_point::after_it_is_done;
        world here{store_faults{}};
        here.store.crash_at(3, point);
        BOOST_TEST((here.enter_one() == errc{}));
        BOOST_TEST((here.enter_one() == errc{}));
        BOOST_TEST((here.enter_one() == (is_done ? errc::store_outcome_unknown : errc::store_unavailable)));
        BOOST_TEST(here.store.is_down());
        BOOST_TEST((here.enter_one() == errc::store_unavailable));
        BOOST_TEST((here.read_one() == errc::store_unavailable));
        BOOST_TEST(entered(here.real) == (is_done ? 3 : 2));
        here.store.restart();
        BOOST_TEST((here.enter_one() == errc{}));
        BOOST_TEST(entered(here.real) == (is_done ? 4 : 3));
    }
}

BOOST_AUTO_TEST_CASE(delays_take_the_time_of_the_loop)
{
    world here{store_faults{}.delay_up_to(100ms)};
    for (int i = 0; i < 50; ++i) BOOST_TEST((here.enter_one() == errc{}));
    BOOST_TEST((here.sim.elapsed() > 3s));
    BOOST_TEST((here.sim.elapsed() <= 11s));
}

BOOST_AUTO_TEST_CASE(a_seed_repeats_its_faults)
{
    BOOST_TEST(history_of(1) == history_of(1));
    BOOST_TEST(history_of(1) != history_of(2));
    for (const char* each : {"ok", "store_unavailable", "store_outcome_unknown", "store_full"})
        BOOST_TEST(history_of(1).find(each) != std::string::npos, each);
}

namespace {

class undisturbed_trial final : public weft::testing::store_under_test {
public:
    weft::checkpoint_store& store() override { return store_; }

private:
    weft::memory_store real_{weft::hash_key{}};
    faulty_store store_{real_, store_faults{}.delay_up_to(5ms), 1};
};

task<void> check_undisturbed(weft::testing::store_check check)
{
    undisturbed_trial trial;
    co_await check.run(trial);
}

}  // namespace

BOOST_AUTO_TEST_CASE(with_nothing_but_delays_it_is_a_store_like_any)
{
    for (const weft::testing::store_check& check : weft::testing::store_checks()) {
        simulation sim{7};
        BOOST_TEST_CONTEXT(check.name) sim.run(check_undisturbed(check));
    }
}

BOOST_AUTO_TEST_SUITE_END()
