#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"

#include <weft/base/json.hpp>
#include <weft/graph/graph_spec_reader.hpp>
#include <weft/graph/graph_spec_writer.hpp>

#include <string>
#include <utility>

namespace weft_bench {

namespace {

constexpr int spec_nodes = 10'000;
constexpr int spec_block_size = 10;

std::string spec_name_of(int index) { return "node" + std::to_string(index); }

void add_edge(weft::graph_spec& spec, std::string from, std::string to, std::string when = {})
{
    weft::edge_spec edge{.from = std::move(from), .to = std::move(to)};
    edge.when = std::move(when);
    spec.edges.push_back(std::move(edge));
}

/** A thousand times: one node, eight branches, one node where they meet; every third block is a loop. */
weft::graph_spec big_spec()
{
    weft::graph_spec spec{.name = "big"};
    for (int i = 0; i < 50; ++i)
        spec.state.push_back({.name = "key" + std::to_string(i), .type = i % 2 == 0 ? "integer" : "string"});
    for (int i = 0; i < spec_nodes; ++i) {
        weft::node_spec node{.name = spec_name_of(i), .settings = {{"function", "work"}}};
        node.description = "node number " + std::to_string(i);
        if (i % 3 == 0) {
            node.reads = {"key" + std::to_string(i % 50)};
            node.writes = {"key" + std::to_string(i * 7 % 50)};
            node.retry = weft::retry_spec{.attempts_max = 2};
        }
        spec.nodes.push_back(std::move(node));
    }
    add_edge(spec, std::string{weft::start}, spec_name_of(0));
    for (int block = 0; block < spec_nodes; block += spec_block_size) {
        const std::string split = spec_name_of(block);
        const std::string join = spec_name_of(block + spec_block_size - 1);
        for (int i = 1; i + 1 < spec_block_size; ++i) {
            add_edge(spec, split, spec_name_of(block + i));
            add_edge(spec, spec_name_of(block + i), join);
        }
        if (block + spec_block_size < spec_nodes) {
            if (block % (3 * spec_block_size) == 0) add_edge(spec, join, split, "key0 > 3 and key1 == 'x'");
            add_edge(spec, join, spec_name_of(block + spec_block_size));
        }
        spec.fan_outs.push_back({.from = split, .join = join, .policy = weft::spec_policy::continue_others});
    }
    return spec;
}

double load_ms(const std::string& text, const weft::node_registry& registry)
{
    const double before = thread_cpu_ns();
    const weft::loaded_graph loaded = weft::load_graph(text, registry);
    const double cost = (thread_cpu_ns() - before) / 1e6;
    require(loaded.what.node_count() == spec_nodes, "a graph of a file lacks nodes");
    return cost;
}

double parse_ms(const std::string& text)
{
    const double before = thread_cpu_ns();
    const boost::json::value parsed = weft::parse_json(text);
    const double cost = (thread_cpu_ns() - before) / 1e6;
    require(parsed.is_object(), "a graph file is no object");
    return cost;
}

}  // namespace

benchmarks spec_benchmarks()
{
    return {{"spec_10000", "ms CPU", "a file of 10,000 nodes and 17,333 edges becomes a graph; floor: parsing its JSON",
             "<= 100", [] {
                 weft::node_registry registry;
                 registry.add_function("work", [] {});
                 const std::string text = weft::to_text(big_spec());
                 return take_turns(
                     11, [&] { return load_ms(text, registry); }, [&] { return parse_ms(text); });
             }}};
}

}  // namespace weft_bench
