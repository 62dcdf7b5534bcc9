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

BOOST_AUTO_TEST_CASE(M1_a_namespace_takes_so_much_and_no_more)
{
    weft::testing::simulation sim{1};
    const weft::item_space all{std::make_shared<weft::memory_items>(), "acme"};
    const weft::item_space small = all.below({"a"}).limited({2, 10, std::chrono::seconds{5}});
    const auto code_of = [&](const weft::item_space& where, std::string name, boost::json::value value) {
        try {
            sim.run(where.put(std::move(name), std::move(value)));
        } catch (const weft::error& e) {
            return std::string{name_of(e.code())} + " " + e.detail();
        }
        return std::string{"kept"};
    };
    BOOST_TEST(code_of(small, "x", "123456789").find("at most 10 are kept") != std::string::npos);
    BOOST_TEST(code_of(small, "x", "12345678") == "kept");
    BOOST_TEST(code_of(small.below({"b"}), "y", 1) == "kept");  // counts too
    BOOST_TEST(code_of(small, "z", 1).find("forget some first") != std::string::npos);
    BOOST_TEST(code_of(small.below({"c"}), "z", 1).find("forget some first") != std::string::npos);
    BOOST_TEST(code_of(small, "x", 2) == "kept");  // in place of another one
    BOOST_TEST(code_of(all.below({"a"}), "z", "as long as one likes") == "kept");
    sim.clock().advance(std::chrono::seconds{5});
    BOOST_TEST(sim.run(all.list(10)).size() == 1u);  // what had no time of its own is gone with that of the limits
}

BOOST_AUTO_TEST_CASE(items_of_a_namespace_are_found_by_their_vectors_within_its_limits)
{
    weft::testing::simulation sim{1};
    const weft::item_space all{std::make_shared<weft::memory_items>(), "acme"};
    const weft::item_space ada = all.below({"ada"}).limited({1, 0, std::chrono::seconds{5}});
    const weft::item_space bob = all.below({"bob"});
    const weft::item_vector east{"m", {1, 0}};
    sim.run(ada.put_with_vector("city", "Lima", east));
    sim.run(bob.put_with_vector("city", "Oslo", east, std::chrono::seconds{1}));
    BOOST_CHECK_THROW(sim.run(ada.put_with_vector("more", "x", east)), weft::error);
    const auto found = sim.run(ada.nearest({.vector = east}));
    BOOST_REQUIRE(found.size() == 1u);
    BOOST_TEST(found[0].item.value.as_string() == "Lima");
    BOOST_TEST(sim.run(all.nearest({.vector = east})).size() == 2u);
    sim.clock().advance(std::chrono::seconds{1});
    BOOST_TEST(sim.run(bob.nearest({.vector = east})).empty());
    sim.clock().advance(std::chrono::seconds{4});
    BOOST_TEST(sim.run(ada.nearest({.vector = east})).empty());
}

BOOST_AUTO_TEST_SUITE_END()
