#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"

#include <weft/engine/engine.hpp>
#include <weft/graph/expression.hpp>
#include <weft/graph/graph_builder.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft_bench {

namespace {

constexpr int route_rounds = 15;
constexpr int routed_nodes = 10;
constexpr int conditions = 8;
constexpr weft::state_key<std::int64_t> routed_number{"number"};

/** Adds a conditional edge that never holds. */
using add_condition = void (*)(weft::graph_builder&, const std::string& from, const std::string& to);

/** A chain whose nodes could each go elsewhere, to one of eight. Without `add` they could not. */
weft::graph chain_with(add_condition add)
{
    weft::graph_builder builder{"routes"};
    builder.state(routed_number);
    const auto name = [](int i) { return i < routed_nodes ? "node " + std::to_string(i) : std::string{weft::end}; };
    const auto elsewhere = [](int i) { return "elsewhere " + std::to_string(i); };
    for (int i = 0; i < routed_nodes; ++i) builder.node(name(i), [] {});
    for (int c = 0; add && c < conditions; ++c) builder.node(elsewhere(c), [] {});
    builder.edge(weft::start, name(0));
    for (int i = 0; i < routed_nodes; ++i) {
        for (int c = 0; add && c < conditions; ++c) add(builder, name(i), elsewhere(c));
        builder.edge(name(i), name(i + 1));
    }
    return builder.build();
}

weft::task<double> time_nodes(weft::engine engine)
{
    constexpr int runs = 10'000;
    const double before = thread_cpu_ns();
    for (int i = 0; i < runs; ++i) {
        weft::run_request request;
        request.input(routed_number, 1);
        const weft::run_result result = co_await engine.run(std::move(request));
        require(result.steps == routed_nodes, "a condition held that should not");
    }
    co_return (thread_cpu_ns() - before) / runs / routed_nodes;
}

/** What the conditions of a node add to its visit. */
double added_by(const weft::graph& with, const weft::graph& without)
{
    return weft::run_blocking(time_nodes(weft::engine{with})) - weft::run_blocking(time_nodes(weft::engine{without}));
}

constexpr int evaluations = 200'000;

/** A state for conditions to look at. */
class sight {
public:
    sight()
    {
        auto layout = std::make_shared<weft::state_layout>();
        layout->add(routed_number);
        weft::state values{std::move(layout)};
        values.writable(values.layout().find(routed_number.name())) = weft::make_box<std::int64_t>(1);
        branch_.emplace(std::move(values));
    }
    [[nodiscard]] weft::state_view view() { return weft::state_view{*branch_}; }

private:
    std::optional<weft::branch_state> branch_;
};

/** What it takes to ask this many predicates in C++, one after another. */
double ask_by_hand(int count)
{
    const std::vector<weft::edge_predicate> asked(static_cast<std::size_t>(count),
                                                  [](const weft::state_view& s) { return s.get(routed_number) > 3; });
    sight seen;
    const weft::state_view view = seen.view();
    const double before = thread_cpu_ns();
    for (int i = 0; i < evaluations; ++i)
        for (const weft::edge_predicate& holds : asked) require(!holds(view), "a predicate held that should not");
    return (thread_cpu_ns() - before) / evaluations;
}

/** The same with expressions. */
double evaluate(int count)
{
    sight seen;
    const weft::state_view view = seen.view();
    std::vector<weft::bound_expression> asked;
    for (int i = 0; i < count; ++i) asked.push_back(weft::expression::compile("number > 3").bind(view.layout()));
    const double before = thread_cpu_ns();
    for (int i = 0; i < evaluations; ++i)
        for (const weft::bound_expression& condition : asked)
            require(!condition.evaluate(view).holds(), "an expression held that should not");
    return (thread_cpu_ns() - before) / evaluations;
}

benchmark conditions_of_a_node(std::string kind, double (*by_hand)(int count), add_condition add)
{
    return {"route_8_" + kind, "ns CPU per node", "what 8 conditional edges add; floor: asking their " + kind,
            "floor + 50", [by_hand, add] {
                const weft::graph with = chain_with(add);
                const weft::graph without = chain_with(nullptr);
                return take_turns(
                    route_rounds, [&] { return added_by(with, without); }, [by_hand] { return by_hand(conditions); });
            }};
}

}  // namespace

benchmarks route_benchmarks()
{
    using builder = weft::graph_builder;
    return {conditions_of_a_node("predicates", &ask_by_hand,
                                 [](builder& to, const std::string& source, const std::string& target) {
                                     to.edge_when(source, target,
                                                  [](const weft::state_view& s) { return s.get(routed_number) > 3; });
                                 }),
            conditions_of_a_node("expressions", &evaluate,
                                 [](builder& to, const std::string& source, const std::string& target) {
                                     to.edge_when(source, target, "number > 3");
                                 }),
            {"expression_compare", "ns CPU", "number > 3, with number a key; floor: a predicate in C++", "<= 100", [] {
                 return take_turns(
                     route_rounds, [] { return evaluate(1); }, [] { return ask_by_hand(1); });
             }}};
}

}  // namespace weft_bench
