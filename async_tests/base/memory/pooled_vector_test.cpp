#include <boost/test/unit_test.hpp>

#include <weft/base/memory/pooled_vector.hpp>

#include <memory>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(pooled_vector_test)

namespace {

using weft::pooled_vector;
using texts = pooled_vector<std::string>;

std::string text_of(const texts& all)
{
    std::string text;
    for (const std::string& one : all) text += one + " ";
    return text;
}

texts of(int count)
{
    texts made;
    for (int i = 0; i < count; ++i) made.push_back("item number " + std::to_string(i));
    return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_empty_one_is_a_pointer_without_memory)
{
    const auto before = weft::count_blocks();
    static_assert(sizeof(texts) == sizeof(void*));
    texts none;
    BOOST_TEST(none.empty());
    BOOST_TEST(none.size() == 0u);
    BOOST_TEST((none.begin() == none.end()));
    none.clear();
    none.reserve(0);
    const texts copy = none;
    BOOST_TEST((copy == none));
    BOOST_TEST(none.capacity() == 0u);
    BOOST_TEST(weft::count_blocks().heap_allocations == before.heap_allocations);
}

BOOST_AUTO_TEST_CASE(items_stand_in_the_order_in_which_they_came)
{
    const texts all = of(9);
    BOOST_TEST(all.size() == 9u);
    for (std::size_t i = 0; i < all.size(); ++i) BOOST_TEST(all[i] == "item number " + std::to_string(i));
    BOOST_TEST(all.front() == all[0]);
    BOOST_TEST(all.back() == all[8]);
    BOOST_TEST(all.data() == &all[0]);
}

BOOST_AUTO_TEST_CASE(an_item_may_be_made_of_one_that_moves)
{
    texts all;
    all.push_back("long enough to stand on the heap");
    for (int i = 0; i < 5; ++i) all.push_back(all.front());
    for (const std::string& one : all) BOOST_TEST(one == "long enough to stand on the heap");
}

BOOST_AUTO_TEST_CASE(room_that_is_reserved_keeps_items_where_they_are)
{
    texts all;
    all.reserve(4);
    BOOST_TEST(all.capacity() == 4u);
    all.push_back("first");
    const std::string* const first = &all.front();
    for (int i = 0; i < 3; ++i) all.push_back("further");
    BOOST_TEST(first == &all.front());
    all.push_back("one too many");
    BOOST_TEST(all.capacity() == 8u);
    BOOST_TEST(all.front() == "first");
}

BOOST_AUTO_TEST_CASE(items_come_and_go_in_the_middle)
{
    texts all{"a", "b", "e"};
    BOOST_TEST(*all.insert(all.begin() + 2, "c") == "c");
    const std::vector<std::string> further{"d", "d2"};
    BOOST_TEST(*all.insert(all.begin() + 3, further.begin(), further.end()) == "d");
    BOOST_TEST(text_of(all) == "a b c d d2 e ");
    BOOST_TEST(*all.erase(all.begin() + 4) == "e");
    BOOST_TEST((all.erase(all.end() - 1) == all.end()));
    BOOST_TEST(*all.erase(all.begin(), all.begin() + 2) == "c");
    BOOST_TEST(text_of(all) == "c d ");
    BOOST_TEST(erase_if(all, [](const std::string& one) { return one == "c"; }) == 1u);
    BOOST_TEST(text_of(all) == "d ");
    all.assign(further.begin(), further.end());
    BOOST_TEST(text_of(all) == "d d2 ");
    all.insert(all.begin(), "first");
    BOOST_TEST(text_of(all) == "first d d2 ");
}

BOOST_AUTO_TEST_CASE(a_new_size_makes_items_or_drops_them)
{
    pooled_vector<int> numbers(3);
    BOOST_TEST(numbers == (pooled_vector<int>{0, 0, 0}), boost::test_tools::per_element());
    numbers[2] = 7;
    numbers.resize(5);
    numbers.resize(4);
    BOOST_TEST(numbers == (pooled_vector<int>{0, 0, 7, 0}), boost::test_tools::per_element());
    numbers.resize(0);
    BOOST_TEST(numbers.empty());
    BOOST_TEST(numbers.capacity() == 5u);
}

BOOST_AUTO_TEST_CASE(copies_are_independent_and_moves_leave_nothing)
{
    texts all = of(3);
    texts copy = all;
    copy.back() = "changed";
    BOOST_TEST((all != copy));
    BOOST_TEST((all == of(3)));
    const std::string* const first = &all.front();
    texts moved = std::move(all);
    BOOST_TEST(first == &moved.front());
    BOOST_TEST(all.empty());
    all = moved;
    BOOST_TEST((all == moved));
    moved = std::move(copy);
    BOOST_TEST(moved.back() == "changed");
}

BOOST_AUTO_TEST_CASE(every_item_is_destroyed_once)
{
    const auto counted = std::make_shared<int>(1);
    {
        pooled_vector<std::shared_ptr<int>> owners;
        for (int i = 0; i < 10; ++i) owners.push_back(counted);
        BOOST_TEST(counted.use_count() == 11);
        owners.pop_back();
        owners.erase(owners.begin() + 2, owners.begin() + 5);
        BOOST_TEST(counted.use_count() == 7);
        const auto copy = owners;
        BOOST_TEST(counted.use_count() == 13);
        owners.clear();
        BOOST_TEST(counted.use_count() == 7);
    }
    BOOST_TEST(counted.use_count() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
