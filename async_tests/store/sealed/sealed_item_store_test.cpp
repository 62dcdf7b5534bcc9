#include "store/sealed_parts.hpp"

#include <weft/base/error.hpp>
#include <weft/store/item_space.hpp>
#include <weft/store/memory_items.hpp>
#include <weft/store/sealed_item_store.hpp>
#include <weft/testing/async_test_case.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/testing/store_conformance.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <vector>

BOOST_AUTO_TEST_SUITE(sealed_item_store_test)

using weft::errc;
using weft::error;
using weft::item_key;
using weft::memory_items;
using weft::sealed_item_store;
using weft::stored_item;
using weft::task;
using weft_tests::cipher_of;
namespace testing = weft::testing;

namespace {

std::vector<testing::item_store_check> all_checks()
{
    const auto checks = testing::item_store_checks();
    return {checks.begin(), checks.end()};
}

class sealed_trial final : public testing::item_store_under_test {
public:
    weft::item_store& store() override { return store_; }

private:
    sealed_item_store store_{std::make_shared<memory_items>(), cipher_of('k')};
};

task<void> check_fresh(testing::item_store_check check)
{
    sealed_trial trial;
    co_await check.run(trial);
}

item_key key_of(std::string name)
{
    std::vector<std::string> space(1, "users");
    return item_key{std::move(space), std::move(name)};
}

task<std::string> refusal_of(task<std::optional<stored_item>> reading)
{
    try {
        const std::optional<stored_item> found = co_await std::move(reading);
    } catch (const error& e) {
        BOOST_TEST((e.code() == errc::store_corrupt));
        co_return e.what();
    }
    co_return std::string{};
}

}  // namespace

BOOST_DATA_TEST_CASE(it_keeps_every_promise_of_item_stores, boost::unit_test::data::make(all_checks()), check)
{
    testing::simulation sim{1};
    BOOST_CHECK_NO_THROW(sim.run(check_fresh(check)));
}

WEFT_ASYNC_TEST_CASE(values_are_not_readable_below_and_bound_to_their_place)
{
    const auto inner = std::make_shared<memory_items>();
    sealed_item_store store{inner, cipher_of('k')};
    const item_key ann = key_of("ann");
    const boost::json::value value = boost::json::parse(R"({"likes": ["green tea with jasmine", 7]})");
    co_await store.put("acme", ann, value, std::nullopt);
    const std::optional<stored_item> found = co_await store.get("acme", ann);
    BOOST_REQUIRE(found);
    BOOST_TEST((found->value == value));
    const std::optional<stored_item> held = co_await inner->get("acme", ann);
    BOOST_REQUIRE(held);
    BOOST_TEST(boost::json::serialize(held->value).find("jasmine") == std::string::npos);

    // Put elsewhere by a program that writes to the store below.
    const item_key bob = key_of("bob");
    co_await inner->put("acme", bob, held->value, std::nullopt);
    const std::string moved = co_await refusal_of(store.get("acme", bob));
    BOOST_TEST(moved.find("item acme/users/bob") != std::string::npos);
    co_await inner->put("other", ann, held->value, std::nullopt);
    const std::string foreign = co_await refusal_of(store.get("other", ann));
    BOOST_TEST(foreign != "");
    co_await inner->put("acme", bob, value, std::nullopt);
    const std::string plain = co_await refusal_of(store.get("acme", bob));
    BOOST_TEST(plain.find("not sealed") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(vectors_would_say_much_of_what_is_sealed_and_are_not_kept)
{
    const auto sealed = std::make_shared<sealed_item_store>(std::make_shared<memory_items>(), cipher_of('k'));
    BOOST_TEST(sealed->vectors() == nullptr);
    testing::simulation sim{1};
    const weft::item_space space{sealed};
    const auto refused = [](const error& e) { return e.code() == errc::invalid_configuration; };
    BOOST_CHECK_EXCEPTION(sim.run(space.put_with_vector("a", 1, {"m", {1}})), error, refused);
    BOOST_CHECK_EXCEPTION(sim.run(space.nearest({.vector = {"m", {1}}})), error, refused);
    BOOST_TEST(!sim.run(space.get("a")));
}

BOOST_AUTO_TEST_SUITE_END()
