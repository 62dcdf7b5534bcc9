#include <boost/test/unit_test.hpp>

#include <weft/base/list.hpp>

#include <forward_list>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

using weft::list;

BOOST_AUTO_TEST_SUITE(list_test)

namespace {

static_assert(std::random_access_iterator<list<int>::const_iterator>);
static_assert(std::ranges::random_access_range<const list<std::string>>);
static_assert(std::is_nothrow_copy_constructible_v<list<std::string>>);
static_assert(std::is_nothrow_move_constructible_v<list<std::string>>);
static_assert(sizeof(list<std::string>) == 3 * sizeof(void*));

list<int> numbers(int first, int end)
{
    list<int> made;
    for (int i = first; i < end; ++i) made.push_back(i);
    return made;
}

template <class T>
std::vector<T> items_of(const list<T>& from)
{
    return {from.begin(), from.end()};
}

std::vector<int> range(int first, int end)
{
    std::vector<int> made;
    for (int i = first; i < end; ++i) made.push_back(i);
    return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_list_has_what_was_appended_in_order)
{
    list<std::string> words;
    BOOST_TEST(words.empty());
    BOOST_TEST((words.begin() == words.end()));
    words.push_back("one");
    const std::string two = "two";
    words.push_back(two);
    BOOST_TEST(words.emplace_back(3, 'x') == "xxx");
    BOOST_TEST(words.size() == 3u);
    BOOST_TEST(words.front() == "one");
    BOOST_TEST(words[1] == "two");
    BOOST_TEST(words.back() == "xxx");
    BOOST_TEST((items_of(words) == std::vector<std::string>{"one", "two", "xxx"}));
    BOOST_TEST((words == list<std::string>{"one", "two", "xxx"}));
}

BOOST_AUTO_TEST_CASE(a_long_list_is_read_by_index_and_by_iterator)
{
    constexpr int count = 20'000;
    const list<int> all = numbers(0, count);
    BOOST_TEST((items_of(all) == range(0, count)));
    for (int i = 0; i < count; i += 7) BOOST_REQUIRE(all[static_cast<std::size_t>(i)] == i);
    const auto reversed = all | std::views::reverse;
    BOOST_TEST(*reversed.begin() == count - 1);
    const std::vector<int> expected = range(0, count);
    BOOST_TEST(std::ranges::equal(reversed, expected | std::views::reverse));
}

BOOST_AUTO_TEST_CASE(the_first_items_are_shared_and_a_list_of_their_own)
{
    const list<int> all = numbers(0, 3'000);
    for (const int count : {0, 1, 2, 7, 1'000, 2'999, 3'000}) {
        list<int> first = all.first(static_cast<std::size_t>(count));
        BOOST_TEST((items_of(first) == range(0, count)));
        BOOST_TEST(all.extends(first));
        if (count > 0) BOOST_TEST(&first[0] == &all[0]);
        first.push_back(-1);
        BOOST_TEST(first.back() == -1);
        BOOST_TEST(first.size() == static_cast<std::size_t>(count) + 1);
    }
    BOOST_TEST((items_of(all) == range(0, 3'000)));
}

BOOST_AUTO_TEST_CASE(the_first_items_outlive_the_list_that_they_are_from)
{
    const auto item = std::make_shared<int>(1);
    list<std::shared_ptr<int>> first;
    {
        list<std::shared_ptr<int>> all;
        for (int i = 0; i < 500; ++i) all.push_back(item);
        first = all.first(100);
    }
    BOOST_TEST(item.use_count() >= 101);
    BOOST_TEST(item.use_count() < 501);
    // What the other list had appended here goes when the slot is taken.
    first.push_back(nullptr);
    BOOST_TEST(item.use_count() == 101);
    BOOST_TEST(*first[99] == 1);
    first = {};
    BOOST_TEST(item.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(iterators_jump_and_compare)
{
    const list<int> all = numbers(0, 3'000);
    auto it = all.begin();
    BOOST_TEST((*(it + 2'999) == 2'999));
    it += 1'500;
    BOOST_TEST(*it == 1'500);
    BOOST_TEST(it[-1'500] == 0);
    it -= 700;
    BOOST_TEST((*it-- == 800));
    BOOST_TEST((*it++ == 799));
    BOOST_TEST(*it == 800);
    BOOST_TEST((*--all.end() == 2'999));
    BOOST_TEST((all.end() - all.begin() == 3'000));
    BOOST_TEST((all.begin() < it && it < all.end()));
    BOOST_TEST((it + 2'200 == all.end()));
    BOOST_TEST(*std::ranges::lower_bound(all, 1'234) == 1'234);
}

BOOST_AUTO_TEST_CASE(what_one_copy_appends_no_other_copy_sees)
{
    list<int> a = numbers(0, 5);
    list<int> b = a;
    list<int> c = a;
    a.push_back(100);
    b.push_back(200);
    BOOST_TEST((items_of(a) == std::vector{0, 1, 2, 3, 4, 100}));
    BOOST_TEST((items_of(b) == std::vector{0, 1, 2, 3, 4, 200}));
    BOOST_TEST((items_of(c) == range(0, 5)));
    for (int i = 0; i < 2'000; ++i) {
        a.push_back(i);
        b.push_back(-i);
    }
    BOOST_TEST(a.back() == 1'999);
    BOOST_TEST(b.back() == -1'999);
    BOOST_TEST(a[6] == 0);
    BOOST_TEST(b[7] == -1);
    BOOST_TEST(c.size() == 5u);
}

BOOST_AUTO_TEST_CASE(copies_share_their_items)
{
    list<std::string> a{"x", "y"};
    const list<std::string> b = a;
    const std::string* const item = &b[0];
    for (int i = 0; i < 3'000; ++i) a.push_back("more");
    BOOST_TEST(&a[0] == item);
    list<std::string> diverged = b;
    diverged.push_back("other");
    BOOST_TEST(&diverged[0] == item);
    BOOST_TEST(diverged[2] == "other");
}

BOOST_AUTO_TEST_CASE(the_slot_of_a_dropped_copy_is_used_again)
{
    auto shared = std::make_shared<int>(1);
    list<std::shared_ptr<int>> kept{shared, shared};
    {
        list<std::shared_ptr<int>> attempt = kept;
        attempt.push_back(shared);
        attempt.push_back(shared);
        BOOST_TEST(shared.use_count() == 5);
    }
    const auto* const last = &kept.back();
    kept.push_back(std::make_shared<int>(2));
    BOOST_TEST(shared.use_count() == 3);
    BOOST_TEST((&kept.back() == last + 1));
    BOOST_TEST(*kept.back() == 2);
}

BOOST_AUTO_TEST_CASE(many_forks_of_one_list_keep_their_own_ends)
{
    const list<int> base = numbers(0, 3'000);
    std::vector<list<int>> forks(50, base);
    for (int round = 0; round < 20; ++round)
        for (std::size_t f = 0; f < forks.size(); ++f)
            forks[f].push_back(static_cast<int>(f) * 1'000 + round);
    for (std::size_t f = 0; f < forks.size(); ++f) {
        std::vector<int> expected = range(0, 3'000);
        for (int round = 0; round < 20; ++round)
            expected.push_back(static_cast<int>(f) * 1'000 + round);
        BOOST_TEST((items_of(forks[f]) == expected));
    }
}

BOOST_AUTO_TEST_CASE(a_chain_of_forks_is_still_found_by_index)
{
    // Every step leaves a longer copy behind, so that every item starts a chunk.
    std::vector<list<int>> left_behind;
    list<int> all;
    for (int i = 0; i < 3'000; ++i) {
        all.push_back(i);
        left_behind.push_back(all);
        left_behind.back().push_back(-1);
    }
    BOOST_TEST((items_of(all) == range(0, 3'000)));
    for (int i = 0; i < 3'000; ++i) BOOST_REQUIRE(all[static_cast<std::size_t>(i)] == i);
    for (std::size_t i = 0; i < left_behind.size(); ++i) BOOST_REQUIRE(left_behind[i].back() == -1);
}

BOOST_AUTO_TEST_CASE(appending_a_list_copies_its_items)
{
    list<int> a = numbers(0, 100);
    const list<int> b = numbers(100, 3'000);
    a.append(b);
    BOOST_TEST((items_of(a) == range(0, 3'000)));
    BOOST_TEST((items_of(b) == range(100, 3'000)));

    list<int> twice = numbers(0, 10);
    twice.append(twice);
    std::vector<int> expected = range(0, 10);
    for (int i = 0; i < 10; ++i) expected.push_back(i);
    BOOST_TEST((items_of(twice) == expected));

    list<int> none;
    none.append(b);
    BOOST_TEST(&none[0] == &b[0]);
    none.append({});
    BOOST_TEST((none == b));
}

BOOST_AUTO_TEST_CASE(a_list_is_made_from_any_range)
{
    const std::vector<int> source = range(0, 2'500);
    BOOST_TEST((items_of(list<int>(source.begin(), source.end())) == source));
    const std::forward_list<int> linked{1, 2, 3};
    BOOST_TEST((items_of(list<int>(linked.begin(), linked.end())) == std::vector{1, 2, 3}));
    const auto counted = std::views::iota(0, 40);
    BOOST_TEST((items_of(list<int>(counted.begin(), counted.end())) == range(0, 40)));
}

BOOST_AUTO_TEST_CASE(lists_are_equal_when_their_items_are)
{
    const list<int> a = numbers(0, 20);
    list<int> b = numbers(0, 10);
    BOOST_TEST((a != b));
    b.append(numbers(10, 20));
    BOOST_TEST((a == b));
    list<int> c = numbers(0, 19);
    c.push_back(0);
    BOOST_TEST((a != c));
    BOOST_TEST((list<int>{} == list<int>{}));
}

BOOST_AUTO_TEST_CASE(a_list_extends_what_it_was_copied_from)
{
    const list<int> base = numbers(0, 100);
    list<int> longer = base;
    list<int> fork = base;
    BOOST_TEST(longer.extends(base));
    for (int i = 0; i < 500; ++i) {
        longer.push_back(i);
        fork.push_back(i);
    }
    BOOST_TEST(longer.extends(base));
    BOOST_TEST(fork.extends(base));
    BOOST_TEST(!base.extends(longer));
    BOOST_TEST(!fork.extends(longer));
    BOOST_TEST(!longer.extends(fork));
    BOOST_TEST(!longer.extends(numbers(0, 100)));
    BOOST_TEST(longer.extends(list<int>{}));
    BOOST_TEST(!list<int>{}.extends(base));
}

BOOST_AUTO_TEST_CASE(an_item_stands_in_front_of_a_list_and_both_are_shared)
{
    const list<int> zero{0};
    for (const int size : {1, 2, 7, 8, 9, 40, 1000}) {
        const list<int> rest = numbers(1, size + 1);
        const list<int> all = list<int>::joined(zero, rest);
        BOOST_TEST(items_of(all) == range(0, size + 1), boost::test_tools::per_element());
        BOOST_TEST(&all.front() == &zero.front());
        BOOST_TEST(&all.back() == &rest.back());
        for (int i = 0; i <= size; ++i) BOOST_TEST_REQUIRE(all[static_cast<std::size_t>(i)] == i);
        auto backwards = all.end();
        for (int i = size; i >= 0; --i) BOOST_TEST_REQUIRE(*--backwards == i);
        BOOST_TEST(all.begin()[size] == size);
        for (int count = 0; count <= size + 1; ++count) {
            const list<int> first = all.first(static_cast<std::size_t>(count));
            BOOST_TEST_REQUIRE((items_of(first) == range(0, count)));
            BOOST_TEST_REQUIRE(all.extends(first));
            BOOST_TEST_REQUIRE(first.extends(all) == (count == size + 1));
        }
        BOOST_TEST((all == numbers(0, size + 1)));
        BOOST_TEST((all != list<int>::joined(list<int>{5}, rest)));
        BOOST_TEST((all == list<int>::joined(list<int>{0}, rest)));
    }
}

BOOST_AUTO_TEST_CASE(what_is_joined_grows_like_any_list)
{
    list<int> rest = numbers(1, 4);
    const list<int> zero{0};
    list<int> all = list<int>::joined(zero, rest);
    list<int> older = all;
    for (int i = 4; i < 40; ++i) {
        all.push_back(i);
        BOOST_TEST_REQUIRE((items_of(all) == range(0, i + 1)));
        BOOST_TEST_REQUIRE(all.extends(older));
        older = all;
    }
    rest.push_back(-4);
    BOOST_TEST((items_of(rest) == std::vector<int>{1, 2, 3, -4}));
    BOOST_TEST((items_of(all) == range(0, 40)));
    // What the rest appends afterwards has the item in front again.
    BOOST_TEST(list<int>::joined(zero, rest).extends(list<int>::joined(zero, rest.first(3))));
    BOOST_TEST(!list<int>::joined(zero, rest).extends(all));
    BOOST_TEST(!all.extends(rest));
    BOOST_TEST(!rest.extends(all));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_shared_when_joined_is_copied)
{
    const list<int> zero{0};
    const list<int> rest = numbers(1, 4);
    BOOST_TEST((items_of(list<int>::joined({}, rest)) == range(1, 4)));
    BOOST_TEST((items_of(list<int>::joined(rest, {})) == range(1, 4)));
    BOOST_TEST((items_of(list<int>::joined(rest, numbers(4, 30))) == range(1, 30)));
    const list<int> joined = list<int>::joined(zero, rest);
    BOOST_TEST((items_of(list<int>::joined(list<int>{-1}, joined)) == range(-1, 4)));
    BOOST_TEST((items_of(list<int>::joined(joined, numbers(4, 30))) == range(0, 30)));
    BOOST_TEST(list<int>::joined({}, joined).extends(joined));
}

BOOST_AUTO_TEST_CASE(what_is_joined_outlives_its_parts)
{
    const auto counted = std::make_shared<int>(7);
    list<std::shared_ptr<int>> all;
    {
        list<std::shared_ptr<int>> rest{counted, counted};
        all = list<std::shared_ptr<int>>::joined({counted}, rest);
        rest = {};
    }
    BOOST_TEST(counted.use_count() == 4);
    list<std::shared_ptr<int>> moved = std::move(all);
    BOOST_TEST(all.empty());
    all = moved.first(1);
    moved = {};
    BOOST_TEST(counted.use_count() == 2);
    all = {};
    BOOST_TEST(counted.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(a_moved_list_is_empty_and_usable)
{
    list<int> a = numbers(0, 3);
    list<int> b = std::move(a);
    BOOST_TEST(a.empty());
    a.push_back(7);
    BOOST_TEST((items_of(a) == std::vector{7}));
    a = std::move(b);
    BOOST_TEST((items_of(a) == range(0, 3)));
    const list<int>& same = a;
    a = same;
    BOOST_TEST((items_of(a) == range(0, 3)));
}

BOOST_AUTO_TEST_CASE(a_chain_of_many_chunks_is_dropped_without_recursion)
{
    list<int> all{0};
    for (int i = 1; i < 200'000; ++i) {
        list<int> other = all;
        other.push_back(-1);
        all.push_back(i);   // The slot is taken, so this starts a chunk.
    }
    BOOST_TEST(all[100'000] == 100'000);
    all = list<int>{};
    BOOST_TEST(all.empty());
}

BOOST_AUTO_TEST_SUITE_END()
