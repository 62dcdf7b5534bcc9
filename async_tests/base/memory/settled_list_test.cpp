#include <boost/test/unit_test.hpp>

#include <weft/base/memory/settled_list.hpp>

#include <memory>
#include <string>

BOOST_AUTO_TEST_SUITE(settled_list_test)

namespace {

using texts = weft::settled_list<std::string>;

texts of(std::size_t settled, std::size_t recent)
{
    texts made;
    for (std::size_t i = 0; i < settled; ++i) made.push_back(std::to_string(i));
    made.settle();
    for (std::size_t i = settled; i < settled + recent; ++i) made.push_back(std::to_string(i));
    return made;
}

std::string text_of(const texts& all)
{
    std::string text;
    all.for_each([&text](const std::string& one) { text += one + " "; });
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(items_are_given_in_their_order_settled_or_not)
{
    const texts all = of(3, 2);
    BOOST_TEST(text_of(all) == "0 1 2 3 4 ");
    BOOST_TEST(all.size() == 5u);
    for (std::size_t i = 0; i < all.size(); ++i) BOOST_TEST(all[i] == std::to_string(i));
    for (std::size_t first = 0; first <= 5; ++first) {
        std::string text;
        all.for_each_from(first, [&text](const std::string& one) { text += one; });
        BOOST_TEST(text == std::string{"01234"}.substr(first));
    }
}

BOOST_AUTO_TEST_CASE(copies_go_on_by_themselves)
{
    texts first = of(2, 0);
    texts second = first;
    first.push_back("a");
    first.settle();
    second.push_back("b");
    second.settle();
    BOOST_TEST(text_of(first) == "0 1 a ");
    BOOST_TEST(text_of(second) == "0 1 b ");
    BOOST_TEST(!first.extends(second));
    BOOST_TEST(first.extends(of(0, 0)));
}

BOOST_AUTO_TEST_CASE(a_list_extends_its_copies_and_no_other)
{
    texts all = of(20, 1);
    const texts copy = all;
    all.push_back("more");
    all.settle();
    BOOST_TEST(all.extends(copy));
    BOOST_TEST(!copy.extends(all));
    BOOST_TEST(!of(20, 2).extends(copy));  // equal items of another origin
    texts another = of(20, 0);
    const texts without = another;
    another.push_back("x");
    texts changed = without;
    changed.push_back("y");
    BOOST_TEST(another.extends(without));
    BOOST_TEST(!changed.extends(another));
}

BOOST_AUTO_TEST_CASE(what_is_taken_leaves_nothing_and_what_copies_share_stays)
{
    texts all = of(3, 2);
    const texts copy = all;
    const texts::items taken = all.take();
    BOOST_TEST(taken.size() == 5u);
    BOOST_TEST(taken[4] == "4");
    BOOST_TEST(all.empty());
    BOOST_TEST(text_of(copy) == "0 1 2 3 4 ");
    weft::settled_list<std::shared_ptr<int>> owned;
    owned.push_back(std::make_shared<int>(7));
    const auto moved = owned.take();
    BOOST_TEST(moved.front().use_count() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
