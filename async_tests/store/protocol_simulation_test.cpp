#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "protocol_world.hpp"

BOOST_AUTO_TEST_SUITE(protocol_simulation_test)

namespace {

using protocol_world::report;
using protocol_world::run_world;
using protocol_world::weather;

#ifdef NDEBUG
constexpr std::uint64_t seeds = 2'000;
#else
constexpr std::uint64_t seeds = 300;
#endif

struct mutant {
    const char* name;
    weft::store_flaw flaw;
};

std::ostream& operator<<(std::ostream& to, const mutant& each) { return to << each.name; }

std::string first_violation(const report& of) { return of.violations.empty() ? std::string{} : of.violations.front(); }

const std::vector<mutant> mutants = {
    {"no fence", weft::store_flaw::no_fence},   {"no compare-and-set", weft::store_flaw::no_compare_and_set},
    {"no reap", weft::store_flaw::no_reap},     {"no queue", weft::store_flaw::no_queue},
    {"no idempotency", weft::store_flaw::no_idempotency},
};

}  // namespace

BOOST_AUTO_TEST_CASE(every_run_finishes_once_on_a_whole_chain_whatever_goes_wrong)
{
    report sum;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const report one = run_world(seed);
        BOOST_REQUIRE_MESSAGE(one.violations.empty(), "seed " << seed << ": " << first_violation(one));
        sum.disturbed += one.disturbed;
        sum.crashes += one.crashes;
        sum.shut_downs += one.shut_downs;
        sum.pauses += one.pauses;
        sum.answers += one.answers;
        sum.elapsed += one.elapsed;
    }
    BOOST_TEST_MESSAGE(seeds << " seeds, " << std::chrono::duration_cast<std::chrono::minutes>(sum.elapsed).count()
                             << " min, " << sum.disturbed << " disturbed operations, " << sum.crashes << " crashes, "
                             << sum.shut_downs << " shut-downs, " << sum.pauses << " pauses, " << sum.answers
                             << " answers");
    BOOST_TEST(sum.disturbed > 10 * seeds);
    BOOST_TEST(static_cast<std::uint64_t>(sum.crashes) > seeds);
    BOOST_TEST(static_cast<std::uint64_t>(sum.shut_downs) > seeds / 2);
    BOOST_TEST(static_cast<std::uint64_t>(sum.pauses) > seeds);
    BOOST_TEST(static_cast<std::uint64_t>(sum.answers) > seeds);
}

BOOST_AUTO_TEST_CASE(a_seed_repeats_its_world)
{
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const report first = run_world(seed);
        const report second = run_world(seed);
        BOOST_TEST(!first.log.empty());
        BOOST_TEST(first.log == second.log);
        BOOST_TEST((first.elapsed == second.elapsed));
    }
}

BOOST_DATA_TEST_CASE(a_store_that_forgets_a_rule_is_found_out, boost::unit_test::data::make(mutants), each)
{
    weather how;
    how.flaw = each.flaw;
    std::uint64_t seed = 1;
    report found;
    for (; seed <= 1'000 && found.violations.empty(); ++seed) found = run_world(seed, how);
    BOOST_REQUIRE_MESSAGE(!found.violations.empty(), "no violation in 1,000 seeds with " << each.name);
    BOOST_TEST_MESSAGE(each.name << ", seed " << seed - 1 << ": " << first_violation(found));
}

BOOST_AUTO_TEST_SUITE_END()
