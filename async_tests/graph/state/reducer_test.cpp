#include <boost/test/unit_test.hpp>

#include "graph/node/graph_keys.hpp"

#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>
#include <weft/graph/state/reducer.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(reducer_test)

namespace {

/** Lets a key's reducer join updates one by one, as a run does. */
template <class T, class R, class... Updates>
T reduced(const weft::state_key<T, R>& key, const Updates&... updates)
{
    using update_type = typename weft::state_key<T, R>::update_type;
    weft::value_ptr current;
    ((current = key.type().reduce(std::move(current), weft::make_box<update_type>(updates))), ...);
    return weft::unboxed<T>(*current);
}

/** Keeps the longest text. */
struct longest {
    using update_type = std::string;
    static void apply(std::string& current, const std::string& update)
    {
        if (update.size() > current.size()) current = update;
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(without_a_reducer_the_update_is_the_value)
{
    BOOST_TEST(!score.type().has_reducer);
    BOOST_TEST(reduced(score, 1, 5, 3) == 3);
}

BOOST_AUTO_TEST_CASE(append_adds_elements_or_text)
{
    BOOST_TEST(reduced(notes, "a", "b") == (std::vector<std::string>{"a", "b"}), boost::test_tools::per_element());
    constexpr weft::state_key<std::string, weft::append> text{"text"};
    BOOST_TEST(reduced(text, "ab", "c") == "abc");
}

namespace {

weft::message named_message(std::string id, std::string text)
{
    weft::message made = weft::message::user(std::move(text));
    made.id = std::move(id);
    return made;
}

template <class List>
void append_replaces_a_message_of_the_same_id()
{
    const weft::state_key<List, weft::append> said{"said"};
    const List all = reduced(said, named_message("a", "one"), named_message("", "two"), named_message("b", "three"),
                             named_message("a", "four"), named_message("", "five"), named_message("b", "six"));
    std::string texts;
    for (const weft::message& one : all) texts.append(one.id).append(":").append(one.text()).append(" ");
    BOOST_TEST(texts == "a:four :two b:six :five ");
}

}  // namespace

BOOST_AUTO_TEST_CASE(append_puts_a_message_in_the_place_of_the_one_with_its_id)
{
    append_replaces_a_message_of_the_same_id<std::vector<weft::message>>();
    append_replaces_a_message_of_the_same_id<weft::list<weft::message>>();
}

BOOST_AUTO_TEST_CASE(what_a_list_had_before_a_message_was_replaced_stays_in_its_copies)
{
    weft::list<weft::message> before;
    before.push_back(named_message("a", "one"));
    weft::list<weft::message> after = before;
    weft::append::apply(after, named_message("a", "two"));
    BOOST_TEST(before.front().text() == "one");
    BOOST_TEST(after.front().text() == "two");
    BOOST_TEST(!after.extends(before));  // a store does not take it for one that has grown
}

BOOST_AUTO_TEST_CASE(add_sums_up_from_nothing) { BOOST_TEST(reduced(total, 1, 2, -5) == -2); }

BOOST_AUTO_TEST_CASE(merge_takes_entries_over)
{
    constexpr weft::state_key<std::map<std::string, int>, weft::merge> scores{"scores"};
    const auto merged =
        reduced(scores, std::map<std::string, int>{{"a", 1}, {"b", 1}}, std::map<std::string, int>{{"b", 2}});
    BOOST_TEST(merged.at("a") == 1);
    BOOST_TEST(merged.at("b") == 2);
    constexpr weft::state_key<boost::json::object, weft::merge> json{"json"};
    const auto object = reduced(json, boost::json::object{{"a", 1}}, boost::json::object{{"a", 2}, {"b", 3}});
    BOOST_TEST(boost::json::serialize(boost::json::value(object)) == R"({"a":2,"b":3})");
}

BOOST_AUTO_TEST_CASE(min_and_max_begin_with_the_first_update)
{
    constexpr weft::state_key<int, weft::min> lowest{"lowest"};
    constexpr weft::state_key<int, weft::max> highest{"highest"};
    BOOST_TEST(reduced(lowest, 5) == 5);
    BOOST_TEST(reduced(lowest, 5, 7, 3) == 3);
    BOOST_TEST(reduced(highest, -5) == -5);
    BOOST_TEST(reduced(highest, -5, -7, -3) == -3);
}

BOOST_AUTO_TEST_CASE(a_reducer_of_ones_own_joins_as_it_says)
{
    constexpr weft::state_key<std::string, longest> best{"best"};
    BOOST_TEST(best.type().has_reducer);
    BOOST_TEST(reduced(best, "rain", "sun", "clouds") == "clouds");
}

BOOST_AUTO_TEST_CASE(a_value_that_somebody_else_holds_is_copied_before_it_changes)
{
    weft::value_ptr current = total.type().reduce(nullptr, weft::make_box<std::int64_t>(1));
    const weft::value_ptr held = current;
    current = total.type().reduce(std::move(current), weft::make_box<std::int64_t>(2));
    BOOST_TEST(weft::unboxed<std::int64_t>(*held) == 1);
    BOOST_TEST(weft::unboxed<std::int64_t>(*current) == 3);
}

BOOST_AUTO_TEST_CASE(an_update_that_nobody_else_holds_is_moved_into_the_value)
{
    constexpr weft::state_key<weft::list<weft::message>, weft::append> said{"said"};
    const std::string words(100, 'w');
    weft::value_ptr own = weft::make_box<weft::message>(weft::message::user(words));
    const auto text_at = [](const weft::message& of) {
        return std::get<weft::text_part>(of.content.at(0)).text.data();
    };
    const char* const before = text_at(weft::unboxed<weft::message>(*own));
    const weft::value_ptr moved = said.type().reduce(nullptr, std::move(own));
    BOOST_TEST((text_at(weft::unboxed<weft::list<weft::message>>(*moved).back()) == before));

    const weft::value_ptr held = weft::make_box<weft::message>(weft::message::user(words));
    const weft::value_ptr copied = said.type().reduce(moved, held);
    BOOST_TEST(weft::unboxed<weft::message>(*held).text() == words);
    BOOST_TEST(weft::unboxed<weft::list<weft::message>>(*copied).back().text() == words);
    BOOST_TEST(weft::unboxed<weft::list<weft::message>>(*moved).size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_value_that_nobody_else_holds_is_changed_in_place)
{
    weft::value_ptr current = notes.type().reduce(nullptr, weft::make_box<std::string>("a"));
    const weft::value_box* before = current.get();
    current = notes.type().reduce(std::move(current), weft::make_box<std::string>("b"));
    BOOST_TEST(current.get() == before);
}

BOOST_AUTO_TEST_SUITE_END()
