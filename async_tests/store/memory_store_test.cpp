#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <weft/async/run_blocking.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/testing/store_conformance.hpp>
#include <weft/testing/suspension_points.hpp>

BOOST_AUTO_TEST_SUITE(memory_store_test)

namespace {

namespace testing = weft::testing;

class memory_trial final : public testing::store_under_test {
public:
    weft::checkpoint_store& store() override { return store_; }

private:
    weft::memory_store store_{weft::hash_key{}};
};

weft::task<void> check_fresh(testing::store_check check)
{
    memory_trial trial;
    co_await check.run(trial);
}

}  // namespace

BOOST_DATA_TEST_CASE(it_keeps_every_promise_of_stores, boost::unit_test::data::make(testing::store_checks()), check)
{
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        testing::simulation sim{seed};
        BOOST_CHECK_NO_THROW(sim.run(check_fresh(check)));
    }
}

BOOST_AUTO_TEST_SUITE_END()
