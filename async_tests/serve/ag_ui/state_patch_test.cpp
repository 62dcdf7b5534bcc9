#include "agent_stream.hpp"
#include "serve/ag_ui/state_patch.hpp"
#include "serve/state/state_wire.hpp"

#include <weft/base/json.hpp>
#include <weft/base/list.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <random>
#include <string>

BOOST_AUTO_TEST_SUITE(state_patch_test)

using namespace weft::serve_detail;
using boost::json::array;
using boost::json::object;
using boost::json::value;

std::string patch_of(std::string_view before, std::string_view after)
{
    array patch;
    add_json_patch(patch, weft::parse_json(before), weft::parse_json(after), "");
    return boost::json::serialize(patch);
}

BOOST_AUTO_TEST_CASE(changes_are_told_where_they_are)
{
    BOOST_TEST(patch_of(R"({"a":1})", R"({"a":1})") == "[]");
    BOOST_TEST(patch_of(R"({"a":1,"b":"long enough"})", R"({"a":2,"b":"long enough"})") ==
               R"([{"op":"replace","path":"/a","value":2}])");
    BOOST_TEST(patch_of(R"({"a/b~c":1})", R"({})") == R"([{"op":"remove","path":"/a~1b~0c"}])");
    BOOST_TEST(patch_of(R"({"a":[1]})", R"({"a":[1,2]})") == R"([{"op":"add","path":"/a/-","value":2}])");
    BOOST_TEST(patch_of(R"({"a":{"b":null}})", R"({"a":{"b":false}})") ==
               R"([{"op":"replace","path":"/a/b","value":false}])");
    // Much of a small value changes: it is told as a whole.
    BOOST_TEST(patch_of(R"({"a":[1,2,3,4]})", R"({"a":[5,6,7,8]})") ==
               R"([{"op":"replace","path":"/a","value":[5,6,7,8]}])");
}

/** A value of some nesting, with names that need escapes. */
value random_value(std::mt19937& random, int depth)
{
    constexpr const char* names[]{"a", "b/c", "d~e", "", "~1"};
    const unsigned kind = random() % (depth > 0 ? 6 : 4);
    if (kind == 0) return nullptr;
    if (kind == 1) return static_cast<int>(random() % 3);
    if (kind == 2) return random() % 2 == 0;
    if (kind == 3) return std::string(random() % 4, 'x').c_str();
    if (kind == 4) {
        array items;
        for (unsigned i = random() % 5; i > 0; --i) items.push_back(random_value(random, depth - 1));
        return items;
    }
    object members;
    for (unsigned i = random() % 5; i > 0; --i) members[names[random() % 5]] = random_value(random, depth - 1);
    return members;
}

BOOST_AUTO_TEST_CASE(a_patch_makes_one_value_of_the_other_and_is_not_much_longer)
{
    std::mt19937 random{7};
    for (int i = 0; i < 3000; ++i) {
        const value before = random_value(random, 4);
        const value after = random_value(random, 4);
        array patch;
        add_json_patch(patch, before, after, "");
        value result = before;
        apply_patch(result, patch);
        BOOST_TEST_REQUIRE((result == after),
                           boost::json::serialize(before) << " to " << boost::json::serialize(after));
        BOOST_TEST(boost::json::serialize(patch).size() <= boost::json::serialize(after).size() + 80);
    }
}

inline constexpr weft::state_key<weft::list<int>, weft::append> numbers{"numbers"};
inline constexpr weft::state_key<std::string> word{"word"};

BOOST_AUTO_TEST_CASE(of_a_list_that_grew_only_the_new_items_are_told)
{
    const weft::graph of = weft::graph_builder{"g"}
                               .state(numbers, word)
                               .node("n", [](weft::node_context&) {})
                               .edge(weft::start, "n")
                               .build();
    weft::state before{of.layout()};
    before.assign_json({{"numbers", array{1, 2}}, {"word", "w"}});
    weft::state after = before;
    const std::uint32_t slot = of.layout()->find("numbers");
    weft::list<int> longer = weft::unboxed<weft::list<int>>(*before.at(slot));
    longer.push_back(3);
    after.writable(slot) = weft::make_box<weft::list<int>>(longer);
    BOOST_TEST(boost::json::serialize(state_patch(before, after, {})) ==
               R"([{"op":"add","path":"/numbers/-","value":3}])");
    BOOST_TEST(state_patch(before, after, {slot}).empty());
    BOOST_TEST(state_patch(after, after, {}).empty());
    after.writable(of.layout()->find("word")) = nullptr;
    BOOST_TEST(boost::json::serialize(state_patch(before, after, {slot})) == R"([{"op":"remove","path":"/word"}])");
}

BOOST_AUTO_TEST_SUITE_END()
