#include <boost/test/unit_test.hpp>

#include "engine/scheduler/join_rules.hpp"
#include "graph/graphs.hpp"

using namespace weft_tests;
using weft::branch_status;
using weft::conflict_strategy;

BOOST_AUTO_TEST_SUITE(join_rules_test)

namespace {

/** Two branches of `a`, which end in the order given and have written their number to `value` and `words`. */
struct two_branches {
    explicit two_branches(conflict_strategy rule)
        : graph{plain_graph("abcj", "^a ab ac bj cj").fan_out("a", {.conflict = rule}).build()},
          where{weft::state{graph.layout()}}
    {
        where.branches.resize(3);
        where.regions.emplace_back();
        r().is_open = true;
        r().source = graph.find("a");
        r().parent = 0;
        r().branches = 2;
        r().targets = {graph.find("b"), graph.find("c")};
        r().view = where.root.get();
        for (std::uint32_t branch = 0; branch < 2; ++branch) write(branch);
    }
    [[nodiscard]] weft::region& r() { return where.regions[0]; }
    [[nodiscard]] weft::run_branch& branch(std::uint32_t number) { return where.branches[1 + number]; }
    void write(std::uint32_t number)
    {
        weft::run_branch& t = branch(number);
        t.region = 0;
        t.branch = number;
        t.own = std::make_unique<weft::branch_state>(where.root.get());
        weft::write_set writes;
        const std::string word = "word " + std::to_string(number);
        const auto slot = [this](std::string_view key) { return graph.layout()->find(key); };
        writes.push_back({slot("value"), true, false, weft::make_box<std::int64_t>(number)});
        writes.push_back({slot("words"), false, false, weft::make_box<std::string>(word)});
        t.own->commit(std::move(writes));
    }
    /** The value and the words that the join sees when the second branch ends first. */
    std::string joined()
    {
        for (const std::uint32_t number : {1u, 0u})
            r().ended.add(number, branch_status::succeeded, 2).changes = branch(number).own->take_changes();
        weft::ended_branches::items ended = r().ended.take();
        merge_branches(graph, r(), ended, *where.root);
        const weft::state& left = where.root->root();
        return std::to_string(left.get(value)) + ": " + left.get(words).at(0) + ", " + left.get(words).at(1);
    }

    weft::graph graph;
    weft::frontier where;
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_last_end_the_first_end_or_the_last_branch_wins)
{
    BOOST_TEST(two_branches{conflict_strategy::last_wins}.joined().substr(0, 2) == "0:");
    BOOST_TEST(two_branches{conflict_strategy::first_wins}.joined().substr(0, 2) == "1:");
    BOOST_TEST(two_branches{conflict_strategy::branch_order}.joined() == "1: word 0, word 1");
}

BOOST_AUTO_TEST_CASE(the_first_branch_that_wrote_a_key_is_in_conflict_with_the_others)
{
    two_branches run{conflict_strategy::error};
    BOOST_TEST(!conflict_of(run.graph, run.where, run.r(), run.branch(0)));
    note_written(run.graph, run.r(), run.branch(0));
    BOOST_TEST(!conflict_of(run.graph, run.where, run.r(), run.branch(0)));  // with itself it is in none
    const weft::failure_ptr conflict = conflict_of(run.graph, run.where, run.r(), run.branch(1));
    BOOST_TEST_REQUIRE(conflict);
    BOOST_TEST((conflict->code == weft::errc::write_conflict));
    BOOST_TEST(conflict->message.find("key 'value' was written by the branches 'b' and 'c'") != std::string::npos);

    two_branches other{conflict_strategy::last_wins};
    note_written(other.graph, other.r(), other.branch(0));
    BOOST_TEST(!conflict_of(other.graph, other.where, other.r(), other.branch(1)));
}

BOOST_AUTO_TEST_CASE(a_failed_run_keeps_what_branches_have_finished)
{
    two_branches run{conflict_strategy::last_wins};
    run.r().ended.add(1, branch_status::succeeded, 2).changes = run.branch(1).own->take_changes();
    merge_finished(run.graph, run.where);
    BOOST_TEST(run.where.root->root().get(value) == 1);
}

BOOST_AUTO_TEST_SUITE_END()
