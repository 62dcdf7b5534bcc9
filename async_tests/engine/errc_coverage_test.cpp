#include <boost/test/unit_test.hpp>

#include "nodes.hpp"

#include <functional>
#include <map>
#include <stop_token>

using namespace weft_tests;
using weft::errc;

BOOST_AUTO_TEST_SUITE(errc_coverage_test)

namespace {

constexpr weft::state_key<int> undeclared{"undeclared"};
constexpr weft::state_key<std::string> mistyped{"value"};

/** Why a run of one node fails. */
errc why(auto&& work, weft::node_options options = {}, weft::run_options limits = {})
{
    const auto graph = empty_graph().node("a", work, std::move(options)).edge(weft::start, "a").build();
    return simulate(graph, with(std::move(limits))).why->code;
}

/** Why a fan-out of two branches fails. */
errc why_not(weft::fan_out_options options, auto&& one, auto&& two)
{
    const auto graph = empty_graph()
                           .node("a", one).node("b", two).node("j", [] {})
                           .edge(weft::start, "a").edge(weft::start, "b").edge("a", "j").edge("b", "j")
                           .fan_out(weft::start, options)
                           .build();
    return simulate(graph).why->code;
}

weft::task<void> wait_long() { co_await weft::sleep_for(1h); }

errc cancelled_wait()
{
    std::stop_source stop;
    stop.request_stop();
    try {
        weft::run_blocking(wait_long(), stop.get_token());
    } catch (const weft::error& e) {
        return e.code();
    }
    return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_error_of_graphs_and_runs_can_be_produced)
{
    const auto nothing = [] {};
    weft::node_options quick;
    quick.timeout = 1ms;
    weft::run_options short_run;
    short_run.elapsed_max(1ms);
    weft::run_options one_step;
    one_step.steps_max(1);
    const auto sets_value = [](weft::node_context& context) { context.set(value, 1); };
    const auto unmet = [] {
        const auto never = [](const weft::state_view&) { return false; };
        return simulate(empty_graph().node("a", [] {}).edge_when(weft::start, "a", never).build()).why->code;
    };
    const auto throwing = [] {
        const auto asks = [](const weft::state_view& s) { return s.get(value) == 1; };
        return simulate(empty_graph().node("a", [] {}).edge_when(weft::start, "a", asks).build()).why->code;
    };
    const auto invalid = [] {
        try {
            static_cast<void>(empty_graph().build());
        } catch (const weft::error& e) {
            return e.code();
        }
        return errc{};
    };
    const auto converting = [&] {
        const auto graph = empty_graph().node("a", nothing).edge(weft::start, "a").build();
        return simulate(graph, weft::run_request{}.input(boost::json::object{{"value", "x"}})).why->code;
    };
    const std::map<errc, std::function<errc()>> producers{
        {errc::invalid_graph, invalid},
        {errc::unknown_state_key, [] { return why([](weft::node_context& c) { c.set(undeclared, 1); }); }},
        {errc::state_type_mismatch, [] { return why([](weft::node_context& c) { c.set(mistyped, "x"); }); }},
        {errc::missing_state_value, [] { return why([](weft::node_context& c) { static_cast<void>(c.get(value)); }); }},
        {errc::state_conversion, converting},
        {errc::write_conflict,
         [&] { return why_not({.conflict = weft::conflict_strategy::error}, sets_value, sets_value); }},
        {errc::node_failed, [] { return why([] { throw std::runtime_error{"x"}; }); }},
        {errc::node_timeout, [&] { return why(sleeps(1h), quick); }},
        {errc::branch_timeout, [&] { return why_not({.branch_timeout = 1ms}, sleeps(1h), nothing); }},
        {errc::budget_exhausted, [&] { return why(fails(1ms, errc::budget_exhausted)); }},
        {errc::run_timeout, [&] { return why(sleeps(1h), {}, short_run); }},
        {errc::steps_exceeded, [&] { return why([] { return weft::command::again(); }, {}, one_step); }},
        {errc::no_edge_matched, unmet},
        {errc::unknown_node, [] { return why([] { return weft::command::go_to("x"); }); }},
        {errc::condition_failed, throwing},
        {errc::branches_failed,
         [] {
             return why_not({.on_failure = weft::branch_policy::continue_others}, fails(1ms), fails(1ms));
         }},
        {errc::quorum_missed,
         [&] { return why_not({.on_failure = weft::branch_policy::quorum(2)}, fails(1ms), nothing); }},
        {errc::cancelled, cancelled_wait},
    };
    // node_did_not_stop is told by run_result::unresponsive so far, and tested in run_handle_test.
    for (const auto& [code, produce] : producers) BOOST_TEST((produce() == code), name_of(code));
}

BOOST_AUTO_TEST_SUITE_END()
