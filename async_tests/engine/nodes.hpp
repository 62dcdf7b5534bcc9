#pragma once

#include "graph/graphs.hpp"

#include <weft/async/sleep.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/testing/simulation.hpp>

#include <coroutine>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace weft_tests {

using namespace std::chrono_literals;

/** A node that takes `span` of virtual time. */
inline weft::task<void> sleep_node(weft::node_context&, std::chrono::nanoseconds span)
{
    co_await weft::sleep_for(span);
}
[[nodiscard]] inline auto sleeps(std::chrono::nanoseconds span)
{
    return [span](weft::node_context& context) { return sleep_node(context, span); };
}

/** A node that fails after `span`. */
inline weft::task<void> fail_node(weft::node_context&, std::chrono::nanoseconds span, weft::errc code)
{
    co_await weft::sleep_for(span);
    throw weft::error{code, "test", "fails on purpose"};
}
[[nodiscard]] inline auto fails(std::chrono::nanoseconds span, weft::errc code = weft::errc::model_rejected)
{
    return [span, code](weft::node_context& context) { return fail_node(context, span, code); };
}

/** A node that writes `number` to `value` and its name to `words`, and adds 1 to `total`, after `span`. */
inline weft::task<void> write_node(weft::node_context& context, std::chrono::nanoseconds span, std::int64_t number)
{
    co_await weft::sleep_for(span);
    context.set(value, number);
    context.set(total, 1);
    context.set(words, std::string{context.node()});
}
[[nodiscard]] inline auto writes(std::chrono::nanoseconds span, std::int64_t number)
{
    return [span, number](weft::node_context& context) { return write_node(context, span, number); };
}

/** A node that waits for something that never comes, and hears no stop. */
inline weft::task<void> deaf_node(weft::node_context&)
{
    constexpr std::suspend_always for_ever;
    co_await for_ever;
}

/** A builder with the keys of `graphs.hpp` and no nodes. */
inline weft::graph_builder empty_graph(std::string name = "test")
{
    weft::graph_builder builder{std::move(name)};
    builder.state(value, other, total, words);
    return builder;
}

/** Runs a graph once in a simulation. */
inline weft::run_result run_in(weft::testing::simulation& sim, const weft::graph& graph, weft::run_request request = {})
{
    const weft::engine engine{graph};
    return sim.run(engine.run(std::move(request)));
}
inline weft::run_result simulate(const weft::graph& graph, weft::run_request request = {}, std::uint64_t seed = 1)
{
    weft::testing::simulation sim{seed};
    return run_in(sim, graph, std::move(request));
}

/** Names on one line. */
inline std::string path_of(const weft::run_result& result)
{
    std::string line;
    for (const std::string_view name : result.path()) line.append(line.empty() ? "" : " ").append(name);
    return line;
}

/** A request with the options that `change` sets. */
inline weft::run_request with(weft::run_options options) { return weft::run_request{}.options(std::move(options)); }

}  // namespace weft_tests
