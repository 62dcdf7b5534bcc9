#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"

#include <weft/graph/graph_builder.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weft_bench {

namespace {

constexpr int node_count = 1000;

/** A graph as text: what a program has before it builds one. */
struct plan {
    std::vector<std::string> nodes;
    std::vector<std::pair<std::string, std::string>> edges;
};

std::string name_of(int index) { return "node " + std::to_string(index); }

plan chain()
{
    plan made;
    for (int i = 0; i < node_count; ++i) {
        made.nodes.push_back(name_of(i));
        made.edges.emplace_back(i == 0 ? std::string{weft::start} : name_of(i - 1), name_of(i));
    }
    return made;
}

// A hundred times: one node, eight branches, one node where they meet.
plan wide()
{
    plan made;
    std::string previous{weft::start};
    for (int block = 0; block < node_count / 10; ++block) {
        const std::string split = name_of(10 * block);
        const std::string join = name_of(10 * block + 9);
        made.nodes.push_back(split);
        made.edges.emplace_back(previous, split);
        for (int branch = 1; branch <= 8; ++branch) {
            made.nodes.push_back(name_of(10 * block + branch));
            made.edges.emplace_back(split, made.nodes.back());
            made.edges.emplace_back(made.nodes.back(), join);
        }
        made.nodes.push_back(join);
        previous = join;
    }
    return made;
}

// 125 layers of eight nodes, each with an edge to every node of the next layer.
plan dense()
{
    constexpr int width = 8;
    plan made;
    for (int i = 0; i < node_count; ++i) {
        made.nodes.push_back(name_of(i));
        if (i < width) made.edges.emplace_back(weft::start, name_of(i));
        const int layer = i / width;
        for (int other = 0; layer > 0 && other < width; ++other)
            made.edges.emplace_back(name_of((layer - 1) * width + other), name_of(i));
    }
    return made;
}

double build_us(const plan& from)
{
    const double before = thread_cpu_ns();
    weft::graph_builder builder{"big"};
    for (const std::string& name : from.nodes) builder.node(name, [] {});
    for (const auto& [source, target] : from.edges) builder.edge(source, target);
    const weft::graph built = builder.build();
    const double cost = (thread_cpu_ns() - before) / 1000;
    require(built.node_count() == from.nodes.size(), "a built graph lacks nodes");
    return cost;
}

/** The least that a graph needs to be run: names, work, and the edges of each node side by side. No checks. */
struct tables {
    std::vector<std::string> names;
    std::vector<std::function<void()>> work;
    std::vector<std::uint32_t> first_edge;
    std::vector<std::uint32_t> targets;
};

double tables_us(const plan& from)
{
    const double before = thread_cpu_ns();
    tables made;
    std::unordered_map<std::string, std::uint32_t> index;
    for (const std::string& name : from.nodes) {
        index.emplace(name, static_cast<std::uint32_t>(made.names.size()));
        made.names.push_back(name);
        made.work.emplace_back([] {});
    }
    const auto source_of = [&](const std::string& name) {
        return name == weft::start ? made.names.size() : std::size_t{index.at(name)};
    };
    std::vector<std::vector<std::uint32_t>> edges(made.names.size() + 1);
    for (const auto& [source, target] : from.edges) edges[source_of(source)].push_back(index.at(target));
    for (const auto& of_node : edges) {
        made.first_edge.push_back(static_cast<std::uint32_t>(made.targets.size()));
        made.targets.insert(made.targets.end(), of_node.begin(), of_node.end());
    }
    const double cost = (thread_cpu_ns() - before) / 1000;
    require(made.targets.size() == from.edges.size(), "the tables lack edges");
    return cost;
}

benchmark build(std::string name, std::string what, plan from)
{
    return {std::move(name), "us CPU", std::move(what), "<= 1000", [from = std::move(from)] {
                return take_turns(
                    21, [&] { return build_us(from); }, [&] { return tables_us(from); });
            }};
}

}  // namespace

benchmarks build_benchmarks()
{
    return {build("build_1000", "building a chain of 1,000 nodes; floor: bare tables without any check", chain()),
            build("build_1000_wide", "the same for 100 fan-outs of eight branches, one after another", wide()),
            build("build_1000_dense", "the same for 125 layers of eight nodes, 7,944 edges", dense())};
}

}  // namespace weft_bench
