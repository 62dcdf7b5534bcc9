#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/testing/store/fault_plan.hpp>

#include <optional>

BOOST_AUTO_TEST_SUITE(fault_plan_test)

namespace {

using namespace std::chrono_literals;
using weft::errc;
using weft::testing::fault_plan;
using weft::testing::store_access;
using weft::testing::store_faults;

/** What a part of an operation throws; nothing if it goes through. */
template <class Function>
std::optional<errc> error_of(Function refuse)
{
    try {
        refuse();
    } catch (const weft::error& e) {
        return e.code();
    }
    return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_seed_decides_what_goes_wrong)
{
    const store_faults faults = store_faults{}.lose_requests(0.3).lose_replies(0.3).delay_up_to(9ms);
    fault_plan one{faults, 7};
    fault_plan same{faults, 7};
    fault_plan other{faults, 8};
    int differing = 0;
    for (std::uint64_t i = 1; i <= 100; ++i) {
        const fault_plan::decision decided = one.decide(store_access::writes);
        BOOST_TEST(decided.number == i);
        BOOST_TEST((decided.before <= 9ms && decided.after <= 9ms));
        const fault_plan::decision again = same.decide(store_access::writes);
        BOOST_TEST((decided.what == again.what && decided.before == again.before && decided.after == again.after));
        if (decided.what != other.decide(store_access::writes).what) ++differing;
    }
    BOOST_TEST(differing > 0);
    BOOST_TEST((one.disturbed() > 30 && one.disturbed() < 90));
    BOOST_TEST(one.operations() == 100U);
}

BOOST_AUTO_TEST_CASE(a_read_is_neither_late_nor_repeated_nor_too_large)
{
    fault_plan plan{store_faults{}.deliver_late(0.4).deliver_twice(0.3).be_full(0.3), 1};
    for (int i = 0; i < 50; ++i) BOOST_TEST((plan.decide(store_access::reads).what == fault_plan::fault::none));
    for (int i = 0; i < 50; ++i) BOOST_TEST((plan.decide(store_access::writes).what != fault_plan::fault::none));
}

BOOST_AUTO_TEST_CASE(a_lost_reply_of_a_write_leaves_its_outcome_open)
{
    fault_plan plan{store_faults{}.lose_replies(1), 1};
    const fault_plan::decision decided = plan.decide(store_access::writes);
    BOOST_TEST(!error_of([&] { plan.refuse_before(decided); }));
    const auto of_write = error_of([&] { plan.refuse_after(store_access::writes, decided); });
    const auto of_read = error_of([&] { plan.refuse_after(store_access::reads, decided); });
    BOOST_TEST((of_write == errc::store_outcome_unknown));
    BOOST_TEST((of_read == errc::store_unavailable));
}

BOOST_AUTO_TEST_CASE(a_crash_takes_its_operation_and_all_later_ones)
{
    fault_plan plan{store_faults{}, 1};
    plan.crash_at(2, fault_plan::crash_point::after_it_is_done);
    const auto goes_through = [&] {
        const fault_plan::decision decided = plan.decide(store_access::writes);
        return !error_of([&] { plan.refuse_before(decided); }) &&
               !error_of([&] { plan.refuse_after(store_access::writes, decided); });
    };
    BOOST_TEST(goes_through());
    const fault_plan::decision second = plan.decide(store_access::writes);
    BOOST_TEST(!error_of([&] { plan.refuse_before(second); }));
    const auto reply = error_of([&] { plan.refuse_after(store_access::writes, second); });
    BOOST_TEST((reply == errc::store_outcome_unknown));
    BOOST_TEST(plan.is_down());
    BOOST_TEST(!goes_through());
    plan.restart();
    BOOST_TEST(goes_through());
}

BOOST_AUTO_TEST_SUITE_END()
