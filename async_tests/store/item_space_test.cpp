#include <weft/store/item_space.hpp>

#include <weft/base/error.hpp>
#include <weft/store/memory_items.hpp>
#include <weft/testing/simulation.hpp>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(item_space_test)

namespace {

weft::task<void> use_spaces(std::shared_ptr<weft::item_store> store)
{
    const weft::item_space all{store, "acme"};
    const weft::item_space ada = all.below({"users", "ada"});
    const weft::item_space bob = all.below({"users", "bob"});
    const weft::item_space other{store, "rival", {"users", "ada"}};
    co_await ada.put("city", "Lima");
    co_await bob.put("city", "Oslo");
    const auto found = co_await ada.get("city");
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST(found->value.as_string() == "Lima");
    const auto foreign = co_await other.get("city");
    BOOST_TEST(!foreign.has_value());
    const auto mine = co_await ada.list(10);
    BOOST_TEST(mine.size() == 1u);
    const weft::item_space users = all.below({"users"});
    const auto every = co_await users.list(10);
    BOOST_TEST(every.size() == 2u);
    const bool was_there = co_await ada.erase("city");
    const bool is_there = co_await ada.erase("city");
    BOOST_TEST(was_there);
    BOOST_TEST(!is_there);
    const auto left = co_await bob.get("city");
    BOOST_TEST(left.has_value());
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_space_reaches_its_own_items_only)
{
    weft::testing::simulation sim{1};
    sim.run(use_spaces(std::make_shared<weft::memory_items>()));
}

BOOST_AUTO_TEST_CASE(a_space_needs_a_store_and_names)
{
    BOOST_CHECK_THROW((weft::item_space{nullptr}), weft::error);
    const weft::item_space all{std::make_shared<weft::memory_items>()};
    BOOST_CHECK_THROW((void)all.below({"users", ""}), weft::error);
}

BOOST_AUTO_TEST_SUITE_END()
