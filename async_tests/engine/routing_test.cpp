#include <boost/test/unit_test.hpp>

#include "nodes.hpp"

#include <weft/engine/run/route_decider.hpp>

#include <boost/json/serialize.hpp>

#include <optional>

using namespace weft_tests;
using weft::command;

BOOST_AUTO_TEST_SUITE(routing_test)

namespace {

/** Answers with the same text each time, after `wait`, or throws. */
class scripted_decider final : public weft::route_decider {
public:
    explicit scripted_decider(std::optional<std::string> answer, std::chrono::nanoseconds wait = 1ms)
        : answer_{std::move(answer)}, wait_{wait}
    {
    }
    weft::task<std::string> decide(const weft::route_question& question) override
    {
        ++calls;
        asked = question.output;
        asked_text = question.goal + std::string{question.instructions};
        for (const auto& candidate : question.candidates)
            asked_text.append(" ").append(candidate.node).append("=").append(candidate.description);
        co_await weft::sleep_for(wait_);
        if (!answer_) throw std::runtime_error{"the model is down"};
        co_return *answer_;
    }
    int calls = 0;
    boost::json::object asked;
    std::string asked_text;

private:
    std::optional<std::string> answer_;
    std::chrono::nanoseconds wait_;
};

weft::graph deciding()
{
    const auto writes_value = [](weft::node_context& context) { context.set(value, 7); };
    weft::goal goal{.name = "g", .description = "be quick"};
    return empty_graph()
        .goal(goal)
        .node("a", writes_value, {.writes = weft::keys(value)})
        .node("left", [] {}, {.description = "goes left"}).node("right", [] {}).node("lost", [] {})
        .edge(weft::start, "a")
        .edge_llm("a", {"left", "right"}, {.fallback = "lost", .instructions = "look", .timeout = 10s})
        .build();
}

struct decision {
    std::string path;
    std::string told;  ///< By the event.
};

decision decided_by(const std::shared_ptr<scripted_decider>& decider)
{
    decision seen;
    const auto watch = [&seen](const weft::run_event& event) {
        if (event.what == weft::run_event::kind::route_decided || event.what == weft::run_event::kind::route_fallback)
            seen.told = std::string{name_of(event.what)} + " " + std::string{event.node} + ": " + event.text;
    };
    auto options = weft::run_options{}.decider(decider);
    seen.path = path_of(simulate(deciding(), weft::run_request{}.options(std::move(options)).on_event(watch)));
    return seen;
}

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_7_one_call_chooses_among_all_candidates)
{
    const auto decider =
        std::make_shared<scripted_decider>(R"(Sure: {"target": "right", "reasoning": "it is nearer"})");
    const decision seen = decided_by(decider);
    BOOST_TEST(seen.path == "a right");
    BOOST_TEST(seen.told == "route_decided right: it is nearer");
    BOOST_TEST(decider->calls == 1);
    BOOST_TEST(boost::json::serialize(decider->asked) == R"({"value":7})");
    BOOST_TEST(decider->asked_text == "Goal: g\nbe quick\nlook left=goes left right=");
}

BOOST_AUTO_TEST_CASE(HIV_7_a_useless_answer_takes_the_fallback_and_says_why)
{
    const auto told = [](std::optional<std::string> answer, std::chrono::nanoseconds wait = 1ms) {
        const auto decider = std::make_shared<scripted_decider>(std::move(answer), wait);
        const decision seen = decided_by(decider);
        BOOST_TEST(seen.path == "a lost");
        BOOST_TEST(decider->calls == 1);
        return seen.told;
    };
    BOOST_TEST(told(R"({"target": "nowhere"})").find("'nowhere' is no candidate") != std::string::npos);
    BOOST_TEST(told("left, I think").find("no JSON object with a target") != std::string::npos);
    BOOST_TEST(told(R"({"reasoning": "hm"})").find("no JSON object") != std::string::npos);
    BOOST_TEST(told(std::nullopt).find("the model is down") != std::string::npos);
    BOOST_TEST(told("{}", 1h).find("did not answer in time") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(without_anybody_to_ask_the_fallback_is_taken)
{
    BOOST_TEST(path_of(simulate(deciding())) == "a lost");
}

BOOST_AUTO_TEST_CASE(a_route_follows_the_label_of_its_function)
{
    const auto graph = [](std::string label) {
        return graph_of("abc")
            .edge(weft::start, "a")
            .edge_route("a", [label](const weft::state_view&) { return label; }, {{"x", "b"}, {"y", "c"}})
            .build();
    };
    BOOST_TEST(path_of(simulate(graph("x"))) == "a b");
    BOOST_TEST(path_of(simulate(graph("y"))) == "a c");
    const auto lost = simulate(graph("z"));
    BOOST_TEST((lost.why->code == weft::errc::unknown_label));
    BOOST_TEST(lost.message().find("'z'; the labels are 'x', 'y'") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(routes_and_conditions_are_asked_in_their_order)
{
    const auto yes = [](const weft::state_view&) { return true; };
    const auto to_b = [](const weft::state_view&) { return std::string{"b"}; };
    weft::graph_builder builder = graph_of("abc");
    builder.edge(weft::start, "a").edge_when("a", "c", yes).edge_route("a", to_b, {{"b", "b"}});
    BOOST_TEST(path_of(simulate(builder.build())) == "a c");
    weft::graph_builder other_way = graph_of("abc");
    other_way.edge(weft::start, "a").edge_route("a", to_b, {{"b", "b"}}).edge_when("a", "c", yes);
    BOOST_TEST(path_of(simulate(other_way.build())) == "a b");
}

namespace {

/** Squares the value that was sent to it. */
void square(weft::node_context& context)
{
    context.set(total, context.get(value) * context.get(value));
}

weft::graph squares(int count)
{
    const auto split = [count](weft::node_context&) {
        std::vector<weft::send> items;
        for (int i = 1; i <= count; ++i) items.push_back(weft::send{"square"}.input(value, i));
        return command::fan_out(std::move(items)).set(other, count);
    };
    return empty_graph()
        .node("split", split, {.goes_to = {"square"}}).node("square", &square).node("sum", [] {})
        .edge(weft::start, "split").edge("square", "sum")
        .build();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_node_sends_items_and_their_results_meet)
{
    const auto options = weft::run_options{}.steps_max(0);
    const auto result = simulate(squares(1'000), weft::run_request{}.options(options));
    BOOST_TEST(result.state.get(total) == 333'833'500);
    BOOST_TEST(result.state.get(other) == 1'000);
    BOOST_TEST(result.state.find(value) == nullptr);
    BOOST_TEST(simulate(squares(0)).state.find(total) == nullptr);
}

BOOST_AUTO_TEST_CASE(items_to_unknown_nodes_or_with_unknown_values_fail_the_node)
{
    const auto why = [](weft::send item) {
        const auto split = [&item](weft::node_context&) {
            std::vector<weft::send> items;
            items.push_back(std::move(item));
            return command::fan_out(std::move(items));
        };
        return simulate(empty_graph().node("a", split).edge(weft::start, "a").build()).why;
    };
    BOOST_TEST((why(weft::send{"nowhere"})->code == weft::errc::unknown_node));
    BOOST_TEST(why(weft::send{"nowhere"})->message.find("item 0 of a fan-out") != std::string::npos);
    constexpr weft::state_key<int> unknown{"unknown"};
    BOOST_TEST((why(weft::send{"a"}.input(unknown, 1))->code == weft::errc::unknown_state_key));
}

BOOST_AUTO_TEST_CASE(an_item_that_takes_too_long_is_stopped)
{
    const auto split = [](weft::node_context&) {
        std::vector<weft::send> items;
        items.push_back(weft::send{"wait"}.timeout(5ms));
        items.push_back(weft::send{"wait"}.timeout(1h));
        return command::fan_out(std::move(items));
    };
    const weft::graph graph = empty_graph()
        .node("split", split, {.goes_to = {"wait"}}).node("wait", sleeps(1min)).node("end", [](weft::node_context& c) {
            c.set(total, c.branches()[0].status == weft::branch_status::timed_out ? 1 : 0);
            c.set(total, c.branches()[1].status == weft::branch_status::succeeded ? 10 : 0);
        })
        .edge(weft::start, "split").edge("wait", "end")
        .fan_out("split", {.on_failure = weft::branch_policy::wait_all})
        .build();
    BOOST_TEST(simulate(graph).state.get(total) == 11);
}

BOOST_AUTO_TEST_CASE(HIV_9_mapped_values_and_missing_ones)
{
    const auto writes_value = [](weft::node_context& context) { context.set(value, 5); };
    const weft::graph graph = empty_graph()
        .node("a", writes_value).node("b", [] {})
        .edge(weft::start, "a").edge("a", "b", {.map = {{"other", "value"}, {"value", "total"}}})
        .build();
    const auto result = simulate(graph);
    BOOST_TEST(result.state.get(other) == 5);
    BOOST_TEST(result.state.get(value) == 5);  // `total` has nothing: `value` stays
}

BOOST_AUTO_TEST_SUITE_END()
