#include <boost/test/unit_test.hpp>

#include "engine/scheduler/branch_table.hpp"
#include "graph/graphs.hpp"

#include <memory>
#include <optional>
#include <vector>

using namespace weft_tests;
using weft::branch_table;
using weft::branch_phase;

BOOST_AUTO_TEST_SUITE(branch_table_test)

namespace {

weft::frontier fresh(const weft::graph& of) { return weft::frontier{weft::state{of.layout()}}; }

weft::write_set write(const weft::graph& of, std::int64_t number)
{
    weft::write_set writes;
    writes.push_back({of.layout()->find("value"), true, false, weft::make_box<std::int64_t>(number)});
    return writes;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_slot_of_a_branch_that_has_ended_is_used_again)
{
    const weft::graph graph = plain_graph("a", "^a").build();
    branch_table branches{graph, fresh(graph)};
    BOOST_TEST(branches.add() == 0u);
    BOOST_TEST(branches.add() == 1u);
    BOOST_TEST(branches.add() == 2u);
    BOOST_TEST(branches.release(0) == weft::no_index);
    BOOST_TEST(branches.release(2) == weft::no_index);
    BOOST_TEST(branches.add() == 2u);
    BOOST_TEST(branches.add() == 0u);
    BOOST_TEST(branches.add() == 3u);
    BOOST_TEST(branches.size() == 4u);
}

BOOST_AUTO_TEST_CASE(free_slots_of_a_kept_frontier_are_used_again)
{
    const weft::graph graph = plain_graph("a", "^a").build();
    branch_table first{graph, fresh(graph)};
    for (int i = 0; i < 3; ++i) first[first.add()].phase = branch_phase::ready;
    static_cast<void>(first.release(1));
    branch_table second{graph, weft::frontier{first.where()}};
    BOOST_TEST(second.add() == 1u);
    BOOST_TEST(second.add() == 3u);
}

BOOST_AUTO_TEST_CASE(what_branches_see_moves_along_with_the_frontier)
{
    const weft::graph graph = plain_graph("a", "^a").build();
    const std::uint32_t slot = graph.layout()->find("value");
    std::optional<weft::frontier> first{fresh(graph)};
    first->branches.resize(2);
    first->branches[0].phase = branch_phase::forked;
    first->branches[1].region = 0;
    first->regions.resize(1);
    first->regions[0].is_open = true;
    first->regions[0].parent = 0;
    first->regions[0].view = first->root.get();
    first->branches[1].own = std::make_unique<weft::branch_state>(first->root.get());
    weft::frontier moved{std::move(*first)};
    weft::frontier assigned = fresh(graph);
    first.reset();
    moved.root->commit(write(graph, 7));
    BOOST_TEST(moved.regions[0].view == moved.root.get());
    BOOST_TEST(weft::unboxed<std::int64_t>(*moved.view_of(moved.branches[1]).read(slot)) == 7);
    assigned = std::move(moved);
    BOOST_TEST(assigned.regions[0].view == assigned.root.get());
    BOOST_TEST(assigned.branches[1].own->parent() == assigned.root.get());
}

BOOST_AUTO_TEST_CASE(a_frontier_may_refer_to_a_state_and_its_copies_own_theirs)
{
    const weft::graph graph = plain_graph("a", "^a").build();
    const std::uint32_t slot = graph.layout()->find("value");
    const auto value_of = [slot](weft::branch_state& state) {
        return weft::unboxed<std::int64_t>(*state.read(slot));
    };
    std::optional<weft::branch_state> values{weft::state{graph.layout()}};
    weft::frontier refers{*values};
    refers.root->commit(write(graph, 7));
    weft::frontier copy{refers};
    weft::frontier moved{std::move(refers)};
    moved.root->commit(write(graph, 8));
    BOOST_TEST(moved.root.get() == &*values);
    BOOST_TEST(value_of(*values) == 8);
    moved.root.take_over();
    values.reset();
    BOOST_TEST(value_of(*moved.root) == 8);
    BOOST_TEST(value_of(*copy.root) == 7);
    const weft::frontier_data empty;
    const weft::frontier_data of_empty{empty};
    BOOST_TEST(of_empty.root.get() != empty.root.get());
}

BOOST_AUTO_TEST_CASE(visits_are_counted_on_the_line_of_the_graph_and_behind_it)
{
    const weft::graph graph = plain_graph("ab", "^a ab ba").build();
    const weft::node_index a = graph.find("a");
    const weft::node_index b = graph.find("b");
    branch_table branches{graph, fresh(graph)};
    BOOST_TEST(branches.visits_of(a) == 0u);
    BOOST_TEST(branches.count_visit(a) == 1u);
    BOOST_TEST(branches.count_visit(b) == 1u);
    BOOST_TEST(branches.where().is_on_line);
    BOOST_TEST(branches.where().visits.empty());
    BOOST_TEST(branches.where().path.empty());
    BOOST_TEST(branches.visits_of(a) == 1u);
    BOOST_TEST(branches.visits_of(b) == 1u);
    branches.count_step();  // `a` is passed over, and is no part of the path
    BOOST_TEST(branches.count_visit(b) == 2u);
    BOOST_TEST(!branches.where().is_on_line);
    BOOST_TEST(branches.where().steps == 4u);
    BOOST_TEST(branches.visits_of(a) == 1u);
    BOOST_TEST(branches.visits_of(b) == 2u);
    std::vector<weft::node_index> path;
    branches.where().path.for_each([&](weft::node_index n) { path.push_back(n); });
    BOOST_TEST((path == std::vector<weft::node_index>{a, b, b}));
}

BOOST_AUTO_TEST_CASE(a_branch_gives_back_the_fan_out_that_it_had_open)
{
    const weft::graph graph = plain_graph("a", "^a").build();
    branch_table branches{graph, fresh(graph)};
    branches[branches.add()].fork = 5;
    BOOST_TEST(branches.release(0) == 5u);
    BOOST_TEST(branches[branches.add()].fork == weft::no_index);
}

BOOST_AUTO_TEST_CASE(a_branch_writes_to_a_state_of_its_own_and_the_run_to_its_own)
{
    const weft::graph graph = plain_graph("a", "^a").build();
    branch_table branches{graph, fresh(graph)};
    branches.where().regions.emplace_back();
    branches.where().regions[0].view = branches.where().root.get();
    const weft::branch_index root = branches.add();
    const weft::branch_index branch = branches.add();
    branches[branch].region = 0;
    const std::uint32_t slot = graph.layout()->find("value");
    branches.own_state_of(root).commit(write(graph, 1));
    branches.own_state_of(branch).commit(write(graph, 2));
    BOOST_TEST((branches.view_of(root).read(slot) != branches.view_of(branch).read(slot)));
    BOOST_TEST(!branches[root].own);
    BOOST_TEST(branches[branch].own->changes().size() == 1u);
}

BOOST_AUTO_TEST_CASE(what_stands_beside_a_branch_ends_with_it)
{
    const weft::graph graph = plain_graph("a", "^a").build();
    branch_table branches{graph, fresh(graph)};
    const weft::branch_index branch = branches.add();
    const weft::branch_index other = branches.add();
    branches.note_late(branch, std::make_shared<const weft::failure>());
    branches.note_late(other, std::make_shared<const weft::failure>());
    branches.where().note_inner(branch, std::make_shared<const weft::frontier>(fresh(graph)));
    BOOST_TEST(branches.where().lateness_of(branch));
    BOOST_TEST(branches.where().inner_of(branch));
    static_cast<void>(branches.release(branch));
    BOOST_TEST(!branches.where().lateness_of(branch));
    BOOST_TEST(!branches.where().inner_of(branch));
    BOOST_TEST(branches.where().lateness_of(other));
    branches.forget_lateness(other);
    BOOST_TEST(!branches.where().lateness_of(other));
}

BOOST_AUTO_TEST_CASE(a_node_is_deferred_once)
{
    const weft::graph graph = plain_graph("ab", "^a ab").build();
    branch_table branches{graph, fresh(graph)};
    BOOST_TEST(branches.take_deferred() == weft::no_node);
    branches.defer(2);
    branches.defer(1);
    branches.defer(2);
    BOOST_TEST(branches.take_deferred() == 2u);
    BOOST_TEST(branches.take_deferred() == 1u);
    BOOST_TEST(branches.take_deferred() == weft::no_node);
}

BOOST_AUTO_TEST_CASE(the_newest_outputs_of_a_node_are_kept)
{
    const weft::graph graph = plain_graph("ab", "^a ab").build();
    branch_table branches{graph, fresh(graph)};
    branches.keep_outputs(1, write(graph, 1));
    branches.keep_outputs(2, {});
    branches.keep_outputs(1, {});
    BOOST_TEST(branches.where().last_outputs_of(1)->empty());
    BOOST_TEST(branches.where().extras->last_outputs.size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
