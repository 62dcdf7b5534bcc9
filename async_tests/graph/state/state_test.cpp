#include <boost/test/unit_test.hpp>

#include "graph/node/graph_keys.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(state_test)

namespace {

weft::state state_of(std::string_view json)
{
    weft::state state{all_keys()};
    state.assign_json(boost::json::parse(json).as_object());
    return state;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_new_state_has_no_values)
{
    const weft::state state{all_keys()};
    BOOST_TEST(!state.find(score));
    BOOST_CHECK_EXCEPTION((void)state.get(score), weft::error, says(weft::errc::missing_state_value, {"'score'"}));
}

BOOST_AUTO_TEST_CASE(F2_a_state_of_no_graph_can_be_read_and_has_nothing)
{
    weft::state state;
    BOOST_TEST(!state.find(score));
    BOOST_CHECK_EXCEPTION((void)state.get(score), weft::error, says(weft::errc::missing_state_value, {"'score'"}));
    BOOST_TEST(state.to_json().empty());
    BOOST_TEST(state.layout().size() == 0U);
    BOOST_CHECK_EXCEPTION(state.assign_json({{"score", 1}}), weft::error,
                          says(weft::errc::unknown_state_key, {"'score'"}));
    const weft::state moved = std::move(state);
    BOOST_TEST(!moved.find(score));
}

BOOST_AUTO_TEST_CASE(a_copy_shares_values_and_does_not_see_later_writes)
{
    weft::state state = state_of(R"({"score": 1, "topic": "rain"})");
    const weft::state copy = state;
    BOOST_TEST(copy.find(score) == state.find(score));
    const std::uint32_t slot = state.layout().find("score");
    state.writable(slot) = weft::make_box<std::int64_t>(2);
    BOOST_TEST(state.get(score) == 2);
    BOOST_TEST(copy.get(score) == 1);
    BOOST_TEST(copy.find(topic) == state.find(topic));
}

BOOST_AUTO_TEST_CASE(a_sole_owner_writes_in_place)
{
    weft::state state = state_of(R"({"score": 1})");
    const weft::value_ptr* place = &state.writable(0);
    BOOST_TEST(&state.writable(0) == place);
}

BOOST_AUTO_TEST_CASE(values_become_json_by_key_and_back)
{
    const std::string_view json =
        R"({"score":1,"topic":"rain","home":{"street":"Elm","number":5},"total":3,"notes":["a","b"]})";
    const weft::state state = state_of(json);
    BOOST_TEST(boost::json::serialize(boost::json::value(state.to_json())) == json);
    BOOST_TEST(state.get(home).street == "Elm");
}

BOOST_AUTO_TEST_CASE(transient_values_are_never_stored_nor_read)
{
    weft::state state{all_keys()};
    state.writable(state.layout().find("handle")) = weft::make_box<std::shared_ptr<int>>(std::make_shared<int>(1));
    BOOST_TEST(state.to_json().empty());
    BOOST_TEST(**state.find(handle) == 1);
    BOOST_CHECK_EXCEPTION(state.assign_json({{"handle", 1}}), weft::error,
                          says(weft::errc::unknown_state_key, {"'handle'"}));
}

BOOST_AUTO_TEST_CASE(a_value_that_does_not_convert_is_named_with_key_and_path)
{
    BOOST_CHECK_EXCEPTION(state_of(R"({"score": "high"})"), weft::error,
                          says(weft::errc::state_conversion, {"key 'score'"}));
    BOOST_CHECK_EXCEPTION(state_of(R"({"home": {"street": "Elm", "number": "five"}})"), weft::error,
                          says(weft::errc::state_conversion, {"key 'home'", "number"}));
    BOOST_CHECK_EXCEPTION(state_of(R"({"notes": ["a", 7]})"), weft::error,
                          says(weft::errc::state_conversion, {"key 'notes'", "1"}));
}

BOOST_AUTO_TEST_CASE(an_unknown_key_is_named_with_the_keys_there_are)
{
    BOOST_CHECK_EXCEPTION(state_of(R"({"scores": 1})"), weft::error,
                          says(weft::errc::unknown_state_key, {"'scores'", "score, topic"}));
}

BOOST_AUTO_TEST_SUITE_END()
