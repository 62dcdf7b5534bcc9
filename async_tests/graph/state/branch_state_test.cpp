#include <boost/test/unit_test.hpp>

#include "graph/node/graph_keys.hpp"

using namespace weft_tests;
using weft::branch_state;

namespace {

struct three_levels {
    std::shared_ptr<const weft::state_layout> layout = all_keys();
    branch_state root{weft::state{layout}};
    branch_state branch{&root};
    branch_state inner{&branch};

    void commit(branch_state& where, weft::state_write what)
    {
        weft::write_set writes;
        writes.push_back(std::move(what));
        where.commit(std::move(writes));
    }
};

/** Gives what `from` changed to `to`, as a join does. */
void merge(branch_state& from, branch_state& to)
{
    for (branch_state::entry& change : from.take_changes()) to.merge(std::move(change));
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(branch_state_test, three_levels)

BOOST_AUTO_TEST_CASE(the_root_writes_into_the_state)
{
    commit(root, write(*layout, score, 1));
    commit(root, write(*layout, total, 2));
    commit(root, write(*layout, total, 3));
    BOOST_TEST(root.root().get(score) == 1);
    BOOST_TEST(root.root().get(total) == 5);
    BOOST_TEST(root.changes().empty());
}

BOOST_AUTO_TEST_CASE(a_branch_sees_its_own_writes_over_those_of_its_parents)
{
    commit(root, write(*layout, score, 1));
    commit(root, write(*layout, topic, "rain"));
    commit(branch, write(*layout, score, 2));
    commit(inner, write(*layout, topic, "sun"));
    BOOST_TEST(seen(inner, score) == 2);
    BOOST_TEST(seen(inner, topic) == "sun");
    BOOST_TEST(seen(branch, topic) == "rain");
    BOOST_TEST(seen(root, score) == 1);
}

BOOST_AUTO_TEST_CASE(updates_are_folded_over_what_the_parents_have)
{
    commit(root, write(*layout, total, 100));
    commit(branch, write(*layout, total, 10));
    BOOST_TEST(seen(branch, total) == 110);
    commit(branch, write(*layout, total, 10));
    commit(inner, write(*layout, total, 1));
    BOOST_TEST(seen(branch, total) == 120);
    BOOST_TEST(seen(inner, total) == 121);
    BOOST_TEST(seen(root, total) == 100);
}

BOOST_AUTO_TEST_CASE(a_join_applies_updates_once_whether_they_were_read_or_not)
{
    for (const bool is_read : {false, true}) {
        branch_state base{weft::state{layout}};
        branch_state one{&base};
        branch_state two{&base};
        commit(base, write(*layout, total, 100));
        commit(one, write(*layout, total, 10));
        commit(two, write(*layout, total, 1));
        if (is_read) BOOST_TEST(seen(one, total) + seen(two, total) == 211);
        merge(one, base);
        merge(two, base);
        BOOST_TEST(seen(base, total) == 111);
    }
}

BOOST_AUTO_TEST_CASE(an_overwrite_replaces_what_was_there_and_updates_come_on_top)
{
    for (const bool is_read : {false, true}) {
        branch_state base{weft::state{layout}};
        branch_state one{&base};
        commit(base, write(*layout, total, 100));
        commit(one, write(*layout, total, 5));
        commit(one, overwrite(*layout, total, 1));
        if (is_read) BOOST_TEST(seen(one, total) == 1);
        commit(one, write(*layout, total, 2));
        BOOST_TEST(seen(one, total) == 3);
        commit(one, write(*layout, total, 3));
        merge(one, base);
        BOOST_TEST(seen(base, total) == 6);
    }
}

BOOST_AUTO_TEST_CASE(an_inner_join_stays_in_its_branch)
{
    commit(root, write(*layout, total, 100));
    commit(inner, write(*layout, total, 1));
    commit(inner, write(*layout, score, 9));
    merge(inner, branch);
    BOOST_TEST(seen(branch, total) == 101);
    BOOST_TEST(seen(branch, score) == 9);
    BOOST_TEST(seen(root, total) == 100);
    BOOST_TEST(!root.read(layout->find("score")));
    merge(branch, root);
    BOOST_TEST(seen(root, total) == 101);
    BOOST_TEST(seen(root, score) == 9);
}

BOOST_AUTO_TEST_CASE(a_snapshot_is_the_state_as_the_branch_sees_it_and_stays_so)
{
    commit(root, write(*layout, score, 1));
    commit(branch, write(*layout, total, 2));
    const weft::state snapshot = inner.snapshot();
    BOOST_TEST(snapshot.get(score) == 1);
    BOOST_TEST(snapshot.get(total) == 2);
    commit(branch, write(*layout, total, 5));
    BOOST_TEST(seen(branch, total) == 7);
    BOOST_TEST(snapshot.get(total) == 2);
    BOOST_TEST(!root.root().find(total));
}

BOOST_AUTO_TEST_CASE(reading_gives_the_same_object_until_something_changes)
{
    commit(root, write(*layout, notes, "a"));
    commit(branch, write(*layout, notes, "b"));
    const auto* first = &seen(branch, notes);
    BOOST_TEST(&seen(branch, notes) == first);
    BOOST_TEST(first->size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
