#include <boost/test/unit_test.hpp>

#include <weft/graph/state/value_tree.hpp>

#include <cstdint>
#include <random>
#include <thread>
#include <utility>
#include <vector>

using weft::value_tree;

BOOST_AUTO_TEST_SUITE(value_tree_test)

namespace {

std::int64_t number_at(const value_tree& tree, std::uint32_t slot)
{
    return tree[slot] ? weft::unboxed<std::int64_t>(*tree[slot]) : 0;
}

weft::value_ptr boxed(std::int64_t number) { return weft::make_box<std::int64_t>(number); }

}  // namespace

BOOST_AUTO_TEST_CASE(a_new_tree_of_any_size_has_no_values)
{
    for (const std::uint32_t size : {0u, 1u, 15u, 16u, 17u, 255u, 256u, 257u, 40'000u}) {
        const value_tree tree{size};
        for (std::uint32_t slot = 0; slot < size; ++slot) BOOST_REQUIRE(!tree[slot]);
    }
}

BOOST_AUTO_TEST_CASE(a_tree_without_slots_can_be_read)
{
    value_tree tree;
    BOOST_TEST(!tree.has_slots());
    BOOST_TEST(!tree[0]);
    BOOST_TEST(!tree[40'000]);
    tree = value_tree{1};
    BOOST_TEST(tree.has_slots());
}

BOOST_AUTO_TEST_CASE(each_slot_keeps_its_own_value)
{
    for (const std::uint32_t size : {1u, 16u, 17u, 256u, 257u, 40'000u}) {
        value_tree tree{size};
        for (std::uint32_t slot = 0; slot < size; ++slot) tree.writable(slot) = boxed(slot + 1);
        for (std::uint32_t slot = 0; slot < size; ++slot) BOOST_REQUIRE(number_at(tree, slot) == slot + 1);
    }
}

BOOST_AUTO_TEST_CASE(a_write_is_seen_by_no_copy_and_shares_the_rest)
{
    value_tree tree{2'000};
    for (const std::uint32_t slot : {0u, 700u, 701u, 1'999u}) tree.writable(slot) = boxed(slot);
    const value_tree copy = tree;
    tree.writable(700) = boxed(-1);
    BOOST_TEST(number_at(copy, 700) == 700);
    BOOST_TEST(number_at(tree, 700) == -1);
    BOOST_TEST(&copy[1'999] == &tree[1'999]);
    BOOST_TEST(&copy[701] != &tree[701]);
    BOOST_TEST(copy[701] == tree[701]);
}

BOOST_AUTO_TEST_CASE(without_copies_a_write_stays_in_place)
{
    value_tree tree{2'000};
    { const value_tree gone = tree; }
    const weft::value_ptr* const place = &tree[1'500];
    BOOST_TEST(&tree.writable(1'500) == place);
}

BOOST_AUTO_TEST_CASE(copies_behave_as_vectors_do)
{
    std::mt19937 random{1};
    for (const std::uint32_t size : {5u, 100u, 3'000u}) {
        std::vector<std::pair<value_tree, std::vector<std::int64_t>>> all;
        all.emplace_back(value_tree{size}, std::vector<std::int64_t>(size));
        for (std::int64_t step = 1; step <= 2'000; ++step) {
            auto& [tree, model] = all[random() % all.size()];
            const auto slot = static_cast<std::uint32_t>(random() % size);
            tree.writable(slot) = boxed(step);
            model[slot] = step;
            if (random() % 40 == 0) {
                auto copy = all[random() % all.size()];
                all.push_back(std::move(copy));
            }
            if (all.size() > 6) all.erase(all.begin() + static_cast<std::ptrdiff_t>(random() % all.size()));
        }
        for (const auto& [tree, model] : all)
            for (std::uint32_t slot = 0; slot < size; ++slot) BOOST_REQUIRE(number_at(tree, slot) == model[slot]);
    }
}

BOOST_AUTO_TEST_CASE(copies_are_written_on_os_threads_of_their_own)
{
    value_tree first{1'100};
    first.writable(3) = boxed(3);
    const auto write_all = [](value_tree tree, std::int64_t number) {
        for (std::uint32_t slot = 0; slot < 1'100; ++slot) tree.writable(slot) = boxed(number);
        for (std::uint32_t slot = 0; slot < 1'100; ++slot)
            if (number_at(tree, slot) != number) throw std::logic_error{"a copy saw what another one wrote"};
    };
    std::thread one{write_all, first, 1};
    std::thread two{write_all, first, 2};
    { value_tree gone = std::move(first); }
    one.join();
    two.join();
}

BOOST_AUTO_TEST_SUITE_END()
