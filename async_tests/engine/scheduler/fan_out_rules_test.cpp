#include <boost/test/unit_test.hpp>

#include "engine/scheduler/fan_out_rules.hpp"
#include "graph/graphs.hpp"

using namespace weft_tests;
using weft::branch_policy;
using weft::branch_status;
using weft::region;

BOOST_AUTO_TEST_SUITE(fan_out_rules_test)

namespace {

weft::failure_ptr failure_with(weft::errc code)
{
    weft::failure wrong;
    wrong.code = code;
    wrong.message = "node 'b' failed";
    return std::make_shared<const weft::failure>(std::move(wrong));
}

/** `a` fans out to three branches; so many have succeeded and failed. */
struct three_branches {
    explicit three_branches(branch_policy policy, std::uint32_t succeeded = 0, std::uint32_t failed = 0,
                            weft::errc code = weft::errc::node_failed)
        : graph{plain_graph("abcdj", "^a ab ac ad bj cj dj").fan_out("a", {.on_failure = policy}).build()},
          where{weft::state{graph.layout()}}
    {
        where.branches.emplace_back().node = graph.find("a");
        r.is_open = true;
        r.source = graph.find("a");
        r.parent = 0;
        r.branches = 3;
        r.targets = {graph.find("b"), graph.find("c"), graph.find("d")};
        r.succeeded = succeeded;
        r.failed = failed;
        r.started = succeeded + failed;
        for (std::uint32_t b = 0; b < succeeded; ++b) r.ended.add_plain(b, 3);
        for (std::uint32_t b = succeeded; b < r.started; ++b) {
            if (!r.first_failure) r.first_failure = failure_with(code);
            r.ended.add(b, branch_status::failed, 3).error = failure_with(code);
        }
    }
    [[nodiscard]] bool is_decided() const { return is_decided_by_policy(graph, r); }
    [[nodiscard]] std::string failure() const
    {
        const weft::failure_ptr cause = failure_of(graph, where, r);
        return cause ? std::string{name_of(cause->code)} : "none";
    }

    weft::graph graph;
    weft::frontier where;
    region r;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_policy_decides_as_soon_as_the_outcome_is_known)
{
    BOOST_TEST(!three_branches(branch_policy::fail_all, 2, 0).is_decided());
    BOOST_TEST(three_branches(branch_policy::fail_all, 0, 1).is_decided());
    BOOST_TEST(!three_branches(branch_policy::continue_others, 0, 2).is_decided());
    BOOST_TEST(!three_branches(branch_policy::wait_all, 0, 3).is_decided());
    BOOST_TEST(three_branches(branch_policy::first_success, 1, 1).is_decided());
    BOOST_TEST(!three_branches(branch_policy::quorum(2), 1, 1).is_decided());
    BOOST_TEST(three_branches(branch_policy::quorum(2), 2, 0).is_decided());
    BOOST_TEST(three_branches(branch_policy::quorum(2), 0, 2).is_decided());  // it cannot be reached any more
}

BOOST_AUTO_TEST_CASE(what_goes_up_from_a_fan_out_names_the_policy_that_it_missed)
{
    BOOST_TEST(three_branches(branch_policy::fail_all, 2, 1).failure() == "node_failed");
    BOOST_TEST(three_branches(branch_policy::wait_all, 0, 3).failure() == "none");
    BOOST_TEST(three_branches(branch_policy::continue_others, 1, 2).failure() == "none");
    BOOST_TEST(three_branches(branch_policy::continue_others, 0, 3).failure() == "branches_failed");
    BOOST_TEST(three_branches(branch_policy::quorum(2), 1, 2).failure() == "quorum_missed");
    BOOST_TEST(three_branches(branch_policy::quorum(2), 2, 1).failure() == "none");
    const three_branches tripped{branch_policy::first_success, 0, 3, weft::errc::guardrail_tripped};
    BOOST_TEST(tripped.failure() == "guardrail_tripped");
}

BOOST_AUTO_TEST_CASE(a_fan_out_may_fail_while_its_policy_allows_it)
{
    const auto may_fail = [](const three_branches& at) { return weft::may_fail(at.graph, at.r); };
    BOOST_TEST(!may_fail(three_branches{branch_policy::wait_all, 0, 2}));
    BOOST_TEST(may_fail(three_branches{branch_policy::continue_others, 0, 2}));
    BOOST_TEST(!may_fail(three_branches{branch_policy::continue_others, 1, 1}));
    BOOST_TEST(may_fail(three_branches{branch_policy::fail_all, 2, 0}));
}

BOOST_AUTO_TEST_CASE(a_branch_starts_while_some_are_left_and_not_too_many_run)
{
    three_branches at{branch_policy::fail_all, 1, 0};
    BOOST_TEST(may_start_branch(at.graph, at.r));
    at.r.is_decided = true;
    BOOST_TEST(!may_start_branch(at.graph, at.r));
    at.r.is_decided = false;
    at.r.started = 3;
    BOOST_TEST(!may_start_branch(at.graph, at.r));

    const weft::graph narrow =
        plain_graph("abcj", "^a ab ac bj cj").fan_out("a", {.concurrency_max = 1}).build();
    at.r.source = narrow.find("a");
    at.r.started = 1;
    at.r.running = 1;
    BOOST_TEST(!may_start_branch(narrow, at.r));
    at.r.running = 0;
    BOOST_TEST(may_start_branch(narrow, at.r));
}

BOOST_AUTO_TEST_CASE(statuses_are_told_by_branch)
{
    const three_branches at{branch_policy::wait_all, 1, 1};
    const std::vector<branch_status> statuses = statuses_of(at.r);
    BOOST_TEST_REQUIRE(statuses.size() == 3u);
    BOOST_TEST((statuses[0] == branch_status::succeeded));
    BOOST_TEST((statuses[1] == branch_status::failed));
    BOOST_TEST((statuses[2] == branch_status::not_started));
}

BOOST_AUTO_TEST_SUITE_END()
