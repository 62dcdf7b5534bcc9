#include <boost/test/unit_test.hpp>

#include <weft/base/json.hpp>

#include "tool/mcp/mcp_rounds.hpp"

#include <boost/json/serialize.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(mcp_rounds_test)

using weft::errc;
using weft::mcp_rounds;

namespace {

boost::json::object object_of(std::string_view json) { return weft::parse_json(json).get_object(); }

errc refusal_of(mcp_rounds& rounds, std::string_view result)
{
    try {
        (void)rounds.take(object_of(result));
    } catch (const weft::error& e) {
        return e.code();
    }
    return {};
}

constexpr const char* question =
    R"({"resultType":"input_required","requestState":"v1.b64.hmac",
        "inputRequests":{"seats":{"method":"elicitation/create","params":{"message":"?"}}}})";

}  // namespace

BOOST_AUTO_TEST_CASE(a_result_without_a_type_or_complete_is_the_answer)
{
    mcp_rounds rounds{{}, 10};
    BOOST_TEST(rounds.take(object_of(R"({"content":[]})")));
    BOOST_TEST(rounds.take(object_of(R"({"resultType":"complete"})")));
    BOOST_TEST(rounds.take(object_of(R"({"resultType":null})")));
    BOOST_TEST(rounds.rounds() == 0);
}

BOOST_AUTO_TEST_CASE(an_unknown_type_of_result_is_an_error)
{
    mcp_rounds rounds{{}, 10};
    BOOST_TEST((refusal_of(rounds, R"({"resultType":"later"})") == errc::invalid_mcp_message));
    BOOST_TEST((refusal_of(rounds, R"({"resultType":7})") == errc::invalid_mcp_message));
    BOOST_TEST((refusal_of(rounds, R"({"resultType":"input_required","inputRequests":{"a":{}}})") ==
                errc::invalid_mcp_message));
}

BOOST_AUTO_TEST_CASE(the_next_round_repeats_the_request_with_answers_and_state)
{
    mcp_rounds rounds{object_of(R"({"name":"book","arguments":{"day":"Mon"}})"), 10};
    BOOST_TEST(!rounds.take(object_of(question)));
    BOOST_REQUIRE(rounds.requests().size() == 1);
    BOOST_TEST(rounds.requests()[0].key == "seats");
    BOOST_TEST(rounds.requests()[0].method == "elicitation/create");
    BOOST_TEST(boost::json::serialize(rounds.next({{"seats", object_of(R"({"action":"accept"})")}})) ==
               R"({"name":"book","arguments":{"day":"Mon"},"inputResponses":{"seats":{"action":"accept"}},)"
               R"("requestState":"v1.b64.hmac"})");
}

BOOST_AUTO_TEST_CASE(state_and_answers_of_an_earlier_round_are_not_sent_again)
{
    mcp_rounds rounds{object_of(R"({"name":"a"})"), 10};
    BOOST_TEST(!rounds.take(object_of(question)));
    BOOST_TEST(!rounds.take(object_of(R"({"resultType":"input_required"})")));
    BOOST_TEST(rounds.requests().empty());
    BOOST_TEST(boost::json::serialize(rounds.next({})) == R"({"name":"a"})");
}

BOOST_AUTO_TEST_CASE(the_loop_is_bounded)
{
    mcp_rounds rounds{{}, 3};
    for (int i = 0; i < 3; ++i) BOOST_TEST(!rounds.take(object_of(question)));
    BOOST_TEST((refusal_of(rounds, question) == errc::limit_reached));
    boost::json::object many;
    for (int i = 0; i < 100; ++i) many[std::to_string(i)] = object_of(R"({"method":"roots/list"})");
    mcp_rounds flooded{{}, 3};
    const boost::json::object flood{{"resultType", "input_required"}, {"inputRequests", many}};
    BOOST_TEST((refusal_of(flooded, boost::json::serialize(flood)) == errc::limit_reached));
}

BOOST_AUTO_TEST_SUITE_END()
