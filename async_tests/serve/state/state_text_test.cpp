#include <boost/test/unit_test.hpp>

#include "serve/state/state_pieces.hpp"
#include "serve/state/state_text.hpp"
#include "serve/state/state_wire.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/testing/async_test_case.hpp>

#include <boost/json/serialize.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(state_text_test)

using namespace weft::serve_detail;

inline constexpr weft::state_key<std::string> text{"text"};
inline constexpr weft::state_key<std::int64_t> count{"a \"count\""};
inline constexpr weft::state_key<boost::json::value> tree{"tree"};
inline constexpr weft::state_key<std::vector<std::string>> names{"names"};
inline constexpr weft::state_key<weft::list<weft::message>, weft::append> messages{"messages"};
inline constexpr weft::state_key<std::string> unset{"unset"};

weft::state state_of(std::size_t said, std::size_t bytes)
{
    const weft::graph of = weft::graph_builder{"g"}
                               .state(text, count, tree, names, messages, unset)
                               .node("n", [](weft::node_context&) {})
                               .edge(weft::start, "n")
                               .build();
    weft::state result{of.layout()};
    boost::json::object values;
    values["text"] = std::string(bytes, '"');
    values["a \"count\""] = 7;
    values["tree"] = boost::json::parse(R"({"a":[1,2.5,null,{"b":"\n"}],"c":{}})");
    values["names"] = boost::json::array{"one", "two"};
    weft::list<weft::message> talk;
    for (std::size_t i = 0; i < said; ++i) talk.push_back(weft::message::user(std::string(bytes, 'x')));
    values["messages"] = weft::to_json(talk);
    result.assign_json(values);
    return result;
}

WEFT_ASYNC_TEST_CASE(the_text_is_that_of_the_values)
{
    for (const std::size_t said : {0u, 1u, 3u, 40u}) {
        const weft::state of = state_of(said, 5'000);
        const std::string made = co_await state_text(of);
        BOOST_TEST(made == boost::json::serialize(values_for_client(of)));
    }
    const std::string empty = co_await state_text(weft::state{});
    BOOST_TEST(empty == "{}");
}

BOOST_AUTO_TEST_CASE(pieces_of_any_size_make_the_same_text)
{
    const weft::state of = state_of(3, 20);
    const std::string whole = boost::json::serialize(values_for_client(of));
    for (const std::size_t bytes : {1u, 7u, 100u, 100'000u}) {
        const weft::value_json form{&value_for_client, &item_for_client};
        state_pieces pieces{of, form};
        std::string made;
        while (!pieces.write(made, bytes)) {}
        BOOST_TEST(made == whole);
    }
}

BOOST_AUTO_TEST_CASE(a_text_that_is_too_long_is_not_made)
{
    const weft::state of = state_of(3, 20);
    const std::string whole = boost::json::serialize(values_for_client(of));
    BOOST_TEST((short_state_text(of, whole.size()) == whole));
    BOOST_TEST(!short_state_text(of, whole.size() - 1));
    BOOST_TEST(!short_state_text(state_of(3, 10'000'000), 1'000));
}

/** Takes its turn whenever the loop gives one. */
weft::task<void> count_turns(std::size_t* turns, const bool* is_done)
{
    while (!*is_done) {
        ++*turns;
        co_await weft::yield_now();
    }
}

weft::task<void> make_text(weft::state of, std::string* into, bool* is_done)
{
    *into = co_await state_text(std::move(of));
    *is_done = true;
}

WEFT_ASYNC_TEST_CASE(the_loop_has_its_turn_between_slices_of_a_state_of_megabytes)
{
    const weft::task_context& context = co_await weft::this_task::context();
    const weft::state lists = state_of(4'000, 2'000);
    const weft::state texts = state_of(0, 4'000'000);
    for (const weft::state& of : {lists, texts}) {
        weft::scope children{context};
        std::size_t turns = 0;
        bool is_done = false;
        std::string made;
        children.spawn(make_text(of, &made, &is_done));
        children.spawn(count_turns(&turns, &is_done));
        co_await children.join();
        BOOST_TEST(made.size() > 8'000'000u);
        BOOST_TEST(turns >= made.size() / (2 * state_slice_bytes));
    }
}

BOOST_AUTO_TEST_SUITE_END()
