#include <boost/test/unit_test.hpp>

#include <weft/base/memory/copied_ptr.hpp>

#include <string>

using weft::copied_ptr;

BOOST_AUTO_TEST_SUITE(copied_ptr_test)

BOOST_AUTO_TEST_CASE(a_copy_owns_a_copy)
{
    const copied_ptr<std::string> first = std::make_unique<std::string>("one");
    copied_ptr<std::string> second = first;
    *second = "two";
    BOOST_TEST(*first == "one");
    second = first;
    BOOST_TEST(second->size() == 3);
    BOOST_TEST(second.get() != first.get());
}

BOOST_AUTO_TEST_CASE(a_copy_of_none_is_none)
{
    const copied_ptr<int> none;
    copied_ptr<int> other = std::make_unique<int>(1);
    other = none;
    BOOST_TEST(!other);
    BOOST_TEST(!copied_ptr<int>{none});
}

BOOST_AUTO_TEST_CASE(moving_hands_the_object_on)
{
    copied_ptr<int> first = std::make_unique<int>(7);
    const int* object = first.get();
    const copied_ptr<int> second = std::move(first);
    BOOST_TEST(second.get() == object);
    BOOST_TEST(!first);  // NOLINT(bugprone-use-after-move): a null owner, as unique_ptr says
}

BOOST_AUTO_TEST_CASE(two_are_equal_if_their_objects_are)
{
    const copied_ptr<std::string> none;
    copied_ptr<std::string> one = std::string{"one"};
    BOOST_TEST((one == copied_ptr<std::string>{std::string{"one"}}));
    BOOST_TEST((one != copied_ptr<std::string>{std::string{"two"}}));
    BOOST_TEST((one != none));
    BOOST_TEST((none != one));
    one.reset();
    BOOST_TEST((one == none));
}

BOOST_AUTO_TEST_SUITE_END()
