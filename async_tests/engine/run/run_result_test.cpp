#include <boost/test/unit_test.hpp>

#include "engine/interrupts.hpp"

#include <string>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(run_result_test)

namespace {

weft::graph counts_then(auto&& work)
{
    const auto count = [](weft::node_context& context) { context.set(value, 7); };
    return empty_graph("counts").node("a", count).node("b", work).chain({weft::start, "a", "b", weft::end}).build();
}

/** The error that a call throws, as `code: text`; empty if it throws none. */
std::string error_of(auto&& call)
{
    try {
        call();
    } catch (const weft::error& e) {
        return std::string{name_of(e.code())} + ": " + e.what();
    }
    return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_that_came_to_its_end_is_ok_and_gives_its_values)
{
    const weft::run_result result = simulate(counts_then([] {}));
    BOOST_TEST(result.ok());
    BOOST_TEST(result.get(value) == 7);
    BOOST_TEST(error_of([&] { result.throw_if_failed(); }) == "");
}

BOOST_AUTO_TEST_CASE(a_key_without_a_value_is_named)
{
    const weft::run_result result = simulate(counts_then([] {}));
    BOOST_TEST(error_of([&] { static_cast<void>(result.get(other)); }) ==
               "missing_state_value: key 'other': " + std::string{describe(weft::errc::missing_state_value)} +
                   ": no node that ran has written it; the path of the run names those that ran");
    constexpr weft::state_key<std::string> unknown{"unknown"};
    const std::string refused = error_of([&] { static_cast<void>(result.get(unknown)); });
    BOOST_TEST(refused.starts_with("unknown_state_key: "), refused);
    BOOST_TEST(refused.find("'unknown'") != std::string::npos, refused);
    constexpr weft::state_key<std::string> mistyped{"value"};
    const std::string mismatch = error_of([&] { static_cast<void>(result.get(mistyped)); });
    BOOST_TEST(mismatch.starts_with("state_type_mismatch: "), mismatch);
}

BOOST_AUTO_TEST_CASE(a_run_that_failed_throws_its_cause_with_graph_and_node)
{
    const auto fails = [] { throw weft::error{weft::errc::invalid_json, "reply", "line 1"}; };
    const weft::run_result result = simulate(counts_then(fails));
    BOOST_TEST(!result.ok());
    const std::string thrown = error_of([&] { result.throw_if_failed(); });
    BOOST_TEST(thrown.starts_with("invalid_json: graph 'counts': "), thrown);
    BOOST_TEST(thrown.find("node 'b', visit 1, attempt 1: reply: ") != std::string::npos, thrown);
    BOOST_TEST(thrown.ends_with("line 1"), thrown);
    BOOST_TEST(result.get(value) == 7);  // what was written before stays readable
    const std::string missing = error_of([&] { static_cast<void>(result.get(other)); });
    BOOST_TEST(missing.starts_with("missing_state_value: key 'other': "), missing);
    BOOST_TEST(missing.find("the run has not come to its end: node 'b'") != std::string::npos, missing);
}

BOOST_AUTO_TEST_CASE(a_run_that_waits_names_its_questions)
{
    const weft::run_result result = simulate(counts_then(asks("How many?")));
    BOOST_TEST((result.status == weft::run_status::paused));
    const std::string thrown = error_of([&] { result.throw_if_failed(); });
    BOOST_REQUIRE_EQUAL(result.questions.size(), 1u);
    BOOST_TEST(thrown.starts_with("cancelled: graph 'counts': "), thrown);
    BOOST_TEST(thrown.find("'" + result.questions.front().address + "'") != std::string::npos, thrown);
}

BOOST_AUTO_TEST_CASE(a_result_of_no_run_has_no_values)
{
    const weft::run_result none;
    BOOST_TEST(!none.ok());
    BOOST_TEST(error_of([&] { none.throw_if_failed(); }).starts_with("cancelled: the run: "));
    BOOST_TEST(error_of([&] { static_cast<void>(none.get(value)); }).starts_with("missing_state_value: key 'value'"));
}

BOOST_AUTO_TEST_SUITE_END()
