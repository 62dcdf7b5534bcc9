#include <boost/test/unit_test.hpp>

#include "engine/scheduler/branch_queue.hpp"

#include <vector>

BOOST_AUTO_TEST_SUITE(branch_queue_test)

namespace {

std::vector<weft::branch_index> drain(weft::branch_queue& queue)
{
    std::vector<weft::branch_index> all;
    while (!queue.is_empty()) {
        const weft::branch_index front = queue.front();
        BOOST_TEST(queue.take() == front);
        all.push_back(front);
    }
    return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_first_that_comes_starts_first)
{
    weft::branch_queue queue;
    for (const weft::branch_index branch : {4u, 2u, 9u}) queue.push(branch);
    BOOST_TEST(queue.take() == 4u);
    queue.push(4);
    BOOST_TEST((drain(queue) == std::vector<weft::branch_index>{2, 9, 4}));
    queue.push(1);
    BOOST_TEST((drain(queue) == std::vector<weft::branch_index>{1}));
}

BOOST_AUTO_TEST_CASE(a_branch_that_is_removed_does_not_start)
{
    weft::branch_queue queue;
    for (const weft::branch_index branch : {4u, 2u, 9u}) queue.push(branch);
    BOOST_TEST(queue.take() == 4u);
    queue.remove(4);  // is not in it any more
    queue.remove(9);
    BOOST_TEST((drain(queue) == std::vector<weft::branch_index>{2}));
}

BOOST_AUTO_TEST_CASE(sorting_leaves_alone_what_was_taken)
{
    weft::branch_queue queue;
    for (const weft::branch_index branch : {9u, 4u, 2u, 3u}) queue.push(branch);
    BOOST_TEST(queue.take() == 9u);
    queue.sort();
    BOOST_TEST((drain(queue) == std::vector<weft::branch_index>{2, 3, 4}));
}

BOOST_AUTO_TEST_SUITE_END()
