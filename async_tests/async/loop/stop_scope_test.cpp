#include <boost/test/unit_test.hpp>

#include <weft/async/loop/stop_scope.hpp>

#include <memory>
#include <vector>

BOOST_AUTO_TEST_SUITE(stop_scope_test)

namespace {

using weft::inner_stop_scope;
using weft::stop_scope;

struct operation : weft::stoppable {
    operation(std::vector<int>& stopped, int name)
        : stoppable{[](stoppable& self) {
              auto& me = static_cast<operation&>(self);
              me.stopped.push_back(me.name);
          }},
          stopped{stopped}, name{name}
    {
    }
    std::vector<int>& stopped;
    int name;
};

BOOST_AUTO_TEST_CASE(a_stop_reaches_every_registered_operation_once)
{
    std::vector<int> stopped;
    stop_scope scope;
    operation one{stopped, 1}, two{stopped, 2};
    scope.add(one);
    scope.add(two);
    BOOST_TEST(!scope.stop_requested());
    scope.request_stop();
    scope.request_stop();
    BOOST_TEST(scope.stop_requested());
    BOOST_TEST(stopped == (std::vector{1, 2}), boost::test_tools::per_element());
    BOOST_TEST(!one.is_linked());
}

BOOST_AUTO_TEST_CASE(an_operation_that_ended_is_not_stopped)
{
    std::vector<int> stopped;
    stop_scope scope;
    operation one{stopped, 1};
    auto two = std::make_unique<operation>(stopped, 2);
    scope.add(one);
    scope.add(*two);
    one.unlink();
    two.reset();
    scope.request_stop();
    BOOST_TEST(stopped.empty());
}

BOOST_AUTO_TEST_CASE(a_stop_goes_down_and_not_up)
{
    std::vector<int> stopped;
    stop_scope parent;
    inner_stop_scope child{&parent};
    inner_stop_scope grandchild{&child};
    inner_stop_scope sibling{&parent};
    operation deep{stopped, 1}, beside{stopped, 2}, above{stopped, 3};
    grandchild.add(deep);
    sibling.add(beside);
    parent.add(above);
    child.request_stop();
    BOOST_TEST(stopped == std::vector{1}, boost::test_tools::per_element());
    BOOST_TEST(grandchild.stop_requested());
    BOOST_TEST(!parent.stop_requested());
    parent.request_stop();
    BOOST_TEST(stopped == (std::vector{1, 2, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_child_of_a_stopped_scope_is_stopped_from_the_start)
{
    stop_scope parent;
    parent.request_stop();
    const inner_stop_scope child{&parent};
    BOOST_TEST(child.stop_requested());
}

BOOST_AUTO_TEST_CASE(a_child_that_is_gone_is_not_touched)
{
    stop_scope parent;
    {
        const inner_stop_scope child{&parent};
    }
    parent.request_stop();
    BOOST_TEST(parent.stop_requested());
}

BOOST_AUTO_TEST_CASE(a_token_follows_the_scope)
{
    stop_scope scope;
    const std::stop_token before = scope.token();
    BOOST_TEST(!before.stop_requested());
    scope.request_stop();
    BOOST_TEST(before.stop_requested());

    stop_scope stopped;
    stopped.request_stop();
    BOOST_TEST(stopped.token().stop_requested());
}

struct destroying : weft::stoppable {
    explicit destroying(std::unique_ptr<operation>& other)
        : stoppable{[](stoppable& self) { static_cast<destroying&>(self).other.reset(); }}, other{other}
    {
    }
    std::unique_ptr<operation>& other;
};

BOOST_AUTO_TEST_CASE(an_operation_may_take_others_away_when_it_is_stopped)
{
    std::vector<int> stopped;
    stop_scope scope;
    auto other = std::make_unique<operation>(stopped, 1);
    destroying first{other};
    scope.add(first);
    scope.add(*other);
    scope.request_stop();
    BOOST_TEST(stopped.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
