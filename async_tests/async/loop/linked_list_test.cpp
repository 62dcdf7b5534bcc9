#include <boost/test/unit_test.hpp>

#include <weft/async/loop/linked_list.hpp>

#include <memory>
#include <vector>

BOOST_AUTO_TEST_SUITE(linked_list_test)

namespace {

struct queue_tag;
struct other_tag;

struct item : weft::list_node<queue_tag>, weft::list_node<other_tag> {
    explicit item(int value) : value{value} {}
    int value;
};

using queue = weft::linked_list<item, queue_tag>;
using other_queue = weft::linked_list<item, other_tag>;

bool is_queued(const item& one) { return one.weft::list_node<queue_tag>::is_linked(); }

std::vector<int> drained(queue& from)
{
    std::vector<int> values;
    while (!from.empty()) values.push_back(from.pop().value);
    return values;
}

BOOST_AUTO_TEST_CASE(items_come_out_in_the_order_in_which_they_went_in)
{
    item a{1}, b{2}, c{3};
    queue all;
    BOOST_TEST(all.empty());
    for (item* one : {&a, &b, &c}) all.push(*one);
    BOOST_TEST(all.size() == 3U);
    BOOST_TEST(all.front().value == 1);
    BOOST_TEST(drained(all) == (std::vector{1, 2, 3}), boost::test_tools::per_element());
    BOOST_TEST(!is_queued(a));
}

BOOST_AUTO_TEST_CASE(an_item_leaves_from_anywhere)
{
    item a{1}, b{2}, c{3};
    queue all;
    for (item* one : {&a, &b, &c}) all.push(*one);
    b.weft::list_node<queue_tag>::unlink();
    b.weft::list_node<queue_tag>::unlink();
    BOOST_TEST(!is_queued(b));
    BOOST_TEST(drained(all) == (std::vector{1, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_item_is_taken_by_position)
{
    item a{1}, b{2}, c{3};
    queue all;
    for (item* one : {&a, &b, &c}) all.push(*one);
    BOOST_TEST(all.pop_at(2).value == 3);
    BOOST_TEST(all.pop_at(0).value == 1);
    BOOST_TEST(drained(all) == std::vector{2}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_item_that_dies_leaves_its_list)
{
    item a{1};
    auto b = std::make_unique<item>(2);
    queue all;
    all.push(a);
    all.push(*b);
    b.reset();
    BOOST_TEST(drained(all) == std::vector{1}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_list_that_dies_lets_its_items_go)
{
    item a{1};
    {
        queue all;
        all.push(a);
        BOOST_TEST(is_queued(a));
    }
    BOOST_TEST(!is_queued(a));
    queue next;
    next.push(a);
    BOOST_TEST(next.size() == 1U);
}

BOOST_AUTO_TEST_CASE(one_item_is_in_lists_of_different_kinds)
{
    item a{1};
    queue one;
    other_queue two;
    one.push(a);
    two.push(a);
    a.weft::list_node<queue_tag>::unlink();
    BOOST_TEST(one.empty());
    BOOST_TEST(&two.front() == &a);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
