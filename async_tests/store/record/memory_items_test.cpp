#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/task/yield_now.hpp>
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

BOOST_DATA_TEST_CASE(they_keep_every_promise_of_vectors, boost::unit_test::data::make(testing::item_vectors_checks()),
                     check)
{
    testing::simulation sim{1};
    sim.run(check_fresh(check));
}

namespace {

/** Counts the turns that its loop gives it while a search is under way. */
weft::task<void> count_turns(const bool& is_over, int& turns)
{
    while (!is_over) {
        ++turns;
        co_await weft::yield_now();
    }
}

weft::task<void> search(weft::memory_items& items, bool& is_over)
{
    weft::vector_query query{.vector = {"m", std::vector<float>(64, 1.0F)}};
    std::vector<std::string> all;
    const auto found = co_await items.nearest("", std::move(all), std::move(query));
    is_over = true;
    BOOST_TEST(found.size() == 10u);
}

weft::task<void> put_many(weft::memory_items& items, int count)
{
    for (int i = 0; i < count; ++i) {
        weft::item_key key{{}, std::to_string(i)};
        weft::item_vector vector{"m", std::vector<float>(64, 1.0F)};
        co_await items.put_with_vector("", std::move(key), 1, std::move(vector), std::nullopt);
    }
}

weft::task<int> turns_during_a_search(int count)
{
    weft::memory_items items;
    weft::task<void> putting = put_many(items, count);
    co_await std::move(putting);
    bool is_over = false;
    int turns = 0;
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope both{context};
    both.spawn(count_turns(is_over, turns));
    both.spawn(search(items, is_over));
    co_await both.join();
    co_return turns;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_long_search_gives_its_loop_back_after_each_slice)
{
    BOOST_TEST(weft::run_blocking(turns_during_a_search(10)) < 3);
    BOOST_TEST(weft::run_blocking(turns_during_a_search(20'000)) >= 4);  // slices of at most 4,096
}

BOOST_AUTO_TEST_SUITE_END()
