#include <boost/test/unit_test.hpp>

#include "graph/node/graph_keys.hpp"

#include <weft/base/list.hpp>
#include <weft/graph/state/value.hpp>

#include <boost/json/array.hpp>

#include <memory>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(list_access_test)

namespace {

struct longest {
    using update_type = std::string;
    static void apply(std::string& current, const std::string& update)
    {
        if (update.size() > current.size()) current = update;
    }
};

struct named_longest : longest {
    static constexpr std::string_view name = "longest";
};

template <class T>
weft::value_ptr made_of(const boost::json::array& items)
{
    const std::unique_ptr<weft::list_maker> maker = weft::value_type_of<T>.list->make(items.size());
    for (const boost::json::value& item : items) maker->add(item);
    return maker->take();
}

template <class T>
void check_list(const T& shorter, const T& longer, const T& another, boost::json::array items)
{
    const weft::list_access* const access = weft::value_type_of<T>.list;
    BOOST_REQUIRE(access);
    const auto a = weft::make_box<T>(shorter);
    const auto b = weft::make_box<T>(longer);
    const auto c = weft::make_box<T>(another);
    BOOST_TEST(access->size(*b) == items.size());
    for (std::size_t i = 0; i < items.size(); ++i) BOOST_TEST((access->item(*b, i) == items[i]));
    BOOST_TEST(access->extends(*b, *a));
    BOOST_TEST(access->extends(*b, *b));
    BOOST_TEST(!access->extends(*a, *b));
    BOOST_TEST(!access->extends(*b, *c));
    const weft::value_ptr made = made_of<T>(items);
    BOOST_TEST((made->type().to_json(*made) == boost::json::value(items)));
}

}  // namespace

BOOST_AUTO_TEST_CASE(lists_are_read_extended_and_made_item_by_item)
{
    weft::list<std::string> one{"a"};
    weft::list<std::string> two = one;
    two.push_back("b");
    check_list(one, two, weft::list<std::string>{"a"}, {"a", "b"});
    using texts = std::vector<std::string>;
    check_list(texts{"a"}, texts{"a", "b"}, texts{"b"}, {"a", "b"});
    check_list(boost::json::array{1}, boost::json::array{1, "b"}, boost::json::array{2}, {1, "b"});
}

BOOST_AUTO_TEST_CASE(what_is_no_list_or_cannot_be_compared_has_no_access)
{
    BOOST_TEST(!weft::value_type_of<std::string>.list);
    BOOST_TEST(!weft::value_type_of<std::vector<bool>>.list);
    BOOST_TEST(!weft::value_type_of<std::vector<address>>.list);
    BOOST_TEST(!weft::value_type_of<std::shared_ptr<int>>.list);
    BOOST_TEST(!weft::value_type_of<boost::json::value>.list);
    BOOST_TEST(weft::value_type_of<weft::list<address>>.list);
}

BOOST_AUTO_TEST_CASE(errors_name_the_item)
{
    const boost::json::array items{{{"street", "Lane"}, {"number", 1}}, {{"street", 5}, {"number", 1}}};
    BOOST_CHECK_EXCEPTION((void)made_of<weft::list<address>>(items), weft::error,
                          says(weft::errc::unexpected_json, {"$[1].street"}));
}

BOOST_AUTO_TEST_CASE(types_and_reducers_have_names)
{
    BOOST_TEST(weft::value_type_of<address>.name() == "object(street: text, number: integer)");
    BOOST_TEST(!weft::value_type_of<std::shared_ptr<int>>.name);
    BOOST_TEST(notes.type().reducer == "append");
    BOOST_TEST(total.type().reducer == "add");
    BOOST_TEST(topic.type().reducer == "replace");
    BOOST_TEST((weft::state_key<std::string, longest>{"x"}.type().reducer == "own"));
    BOOST_TEST((weft::state_key<std::string, named_longest>{"x"}.type().reducer == "longest"));
}

BOOST_AUTO_TEST_SUITE_END()
