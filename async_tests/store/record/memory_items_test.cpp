#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <weft/store/memory_items.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/testing/store_conformance.hpp>

BOOST_AUTO_TEST_SUITE(memory_items_test)

namespace {

namespace testing = weft::testing;

class memory_items_trial final : public testing::item_store_under_test {
public:
    weft::item_store& store() override { return store_; }

private:
    weft::memory_items store_;
};

weft::task<void> check_fresh(testing::item_store_check check)
{
    memory_items_trial trial;
    co_await check.run(trial);
}

}  // namespace

BOOST_DATA_TEST_CASE(they_keep_every_promise_of_item_stores, boost::unit_test::data::make(testing::item_store_checks()),
                     check)
{
    testing::simulation sim{1};
    sim.run(check_fresh(check));
}

BOOST_AUTO_TEST_SUITE_END()
