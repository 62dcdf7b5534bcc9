#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"

#include <weft/graph/drawing.hpp>
#include <weft/graph/graph_builder.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace weft_bench {

namespace {

constexpr int drawn_nodes = 1'000;
constexpr int block_size = 10;

/** Fan-outs to eight branches, one after another, with a condition back at every join. */
weft::graph graph_to_draw()
{
    weft::graph_builder builder{"drawn"};
    const auto name = [](int i) { return "node " + std::to_string(i); };
    for (int i = 0; i < drawn_nodes; ++i) builder.node(name(i), [] {}, {.visits_max = 3});
    builder.edge(weft::start, name(0));
    for (int block = 0; block < drawn_nodes; block += block_size) {
        const int join = block + block_size - 1;
        for (int i = block + 1; i < join; ++i) builder.edge(name(block), name(i)).edge(name(i), name(join));
        builder.edge_when(name(join), name(block), [](const weft::state_view&) { return false; }, {.label = "again"});
        builder.edge(name(join), join + 1 < drawn_nodes ? name(join + 1) : std::string{weft::end});
    }
    return builder.build();
}

/** A drawing beside the copying of its text. */
template <class Draw>
benchmark drawing(std::string format, Draw draw)
{
    const std::string what_it_is = "1,000 nodes as " + format + "; floor: copying that text";
    return {"draw_1000_" + format, "ms CPU", what_it_is, "<= 10", [draw] {
                const weft::graph what = graph_to_draw();
                const std::string text = draw(what);
                require(text.size() > 20'000, "a drawing lacks nodes");
                return take_turns(
                    9,
                    [&] {
                        const double before = thread_cpu_ns();
                        require(draw(what).size() == text.size(), "a drawing differs from the one before");
                        return (thread_cpu_ns() - before) / 1e6;
                    },
                    [&] {
                        const double before = thread_cpu_ns();
                        std::string copy;
                        for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
                            end = std::min(text.find('\n', at), text.size() - 1) + 1;
                            copy.append(text, at, end - at);
                        }
                        require(copy == text, "a copy differs");
                        return (thread_cpu_ns() - before) / 1e6;
                    });
            }};
}

}  // namespace

benchmarks draw_benchmarks()
{
    return {drawing("mermaid", [](const weft::graph& what) { return weft::to_mermaid(what); }),
            drawing("dot", [](const weft::graph& what) { return weft::to_dot(what); }),
            drawing("dag_json",
                    [](const weft::graph& what) { return boost::json::serialize(weft::to_dag_json(what)); })};
}

}  // namespace weft_bench
