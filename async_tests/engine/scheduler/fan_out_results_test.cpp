#include <boost/test/unit_test.hpp>

#include "engine/scheduler/fan_out_results.hpp"
#include "graph/graphs.hpp"

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

using namespace weft_tests;
using weft::branch_status;

BOOST_AUTO_TEST_SUITE(fan_out_results_test)

namespace {

/** A fan-out from `a` to `b` and `c`. */
weft::region two_branches(const weft::graph& of)
{
    weft::region r;
    r.is_open = true;
    r.source = of.find("a");
    r.branches = 2;
    r.targets = {of.find("b"), of.find("c")};
    return r;
}

void succeed(weft::region& r)
{
    for (const std::uint32_t branch : {1u, 0u}) r.ended.add_plain(branch, 2);
    r.succeeded = 2;
}

}  // namespace

BOOST_AUTO_TEST_CASE(results_stand_in_the_order_of_the_branches)
{
    const weft::graph of = plain_graph("abcj", "^a ab ac bj cj").build();
    weft::region r = two_branches(of);
    r.ended.add(1, branch_status::failed, 2).error = std::make_shared<const weft::failure>();
    r.ended.add_plain(0, 2);
    r.succeeded = r.failed = 1;
    const weft::fan_out_results ended{of, r};
    const weft::branch_results& results = ended.results();
    BOOST_TEST_REQUIRE(results.size() == 2u);
    BOOST_TEST(results[0].node == "b");
    BOOST_TEST((results[0].status == branch_status::succeeded));
    BOOST_TEST(!results[0].error);
    BOOST_TEST(results[1].index == 1u);
    BOOST_TEST((results[1].status == branch_status::failed));
    BOOST_TEST(results[1].error);
}

BOOST_AUTO_TEST_CASE(a_branch_of_which_nothing_is_known_was_not_started)
{
    const weft::graph of = plain_graph("abcj", "^a ab ac bj cj").build();
    weft::region r = two_branches(of);
    r.ended.add_plain(1, 2);
    r.succeeded = 1;
    const weft::fan_out_results ended{of, r};
    BOOST_TEST((ended.results()[0].status == branch_status::not_started));
    BOOST_TEST((ended.results()[1].status == branch_status::succeeded));
}

BOOST_AUTO_TEST_CASE(results_of_successes_need_neither_the_fan_out_nor_the_graph)
{
    auto of = std::make_unique<weft::graph>(plain_graph("abcj", "^a ab ac bj cj").build());
    auto r = std::make_unique<weft::region>(two_branches(*of));
    succeed(*r);
    const weft::fan_out_results ended{*of, *r};
    r.reset();
    of.reset();
    BOOST_TEST_REQUIRE(ended.results().size() == 2u);
    BOOST_TEST(ended.results()[1].node == "c");
    BOOST_TEST((ended.results()[1].status == branch_status::succeeded));
    BOOST_TEST(&ended.results() == &ended.results());
}

BOOST_AUTO_TEST_CASE(copies_of_a_run_read_them_from_several_os_threads)
{
    const weft::graph of = plain_graph("abcj", "^a ab ac bj cj").build();
    for (int round = 0; round < 50; ++round) {
        weft::region r = two_branches(of);
        succeed(r);
        const weft::fan_out_results ended{of, r};
        std::vector<const weft::branch_results*> seen(2);
        {
            std::jthread one{[&] { seen[0] = &ended.results(); }};
            seen[1] = &ended.results();
        }
        BOOST_TEST(seen[0] == seen[1]);
        BOOST_TEST(seen[0]->size() == 2u);
    }
}

BOOST_AUTO_TEST_SUITE_END()
