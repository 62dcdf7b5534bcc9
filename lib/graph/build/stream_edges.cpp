#include "stream_edges.hpp"

#include "graph/node/stream_pipeline.hpp"

#include <algorithm>
#include <utility>

namespace weft::graph_detail {

namespace {

using description = graph_builder::description;

const description::node* node_called(const description& from, std::string_view name)
{
    const auto found =
        std::find_if(from.nodes.begin(), from.nodes.end(), [&](const auto& node) { return node.name == name; });
    return found == from.nodes.end() ? nullptr : &*found;
}

const stream_body* stream_of(const description::node& node)
{
    return dynamic_cast<const stream_body*>(node.body.get());
}

/** What is wrong with a node at one end of a stream edge, beside the types of the streams. */
std::string mistake_of_end(const description::node& node, bool is_writer)
{
    const stream_body* const body = stream_of(node);
    const std::string subject = ": '" + node.name + "' ";
    if (!body || !(is_writer ? body->gives() : body->reads()))
        return subject + (is_writer ? "gives" : "reads") + " no stream: make it a node of weft::streaming";
    if (node.options.cache) return subject + "has a cache, which cannot keep a stream: leave it out";
    return {};
}

void check_ends(const description& from, std::size_t i, std::vector<std::string>& mistakes)
{
    const auto& edge = from.edges[i];
    const description::node* const writer = node_called(from, edge.from);
    const description::node* const reader = node_called(from, edge.to);
    if (!writer || !reader) {
        if (edge.from == start || edge.to == end)
            mistakes.push_back(edge_text(from, i) + " streams, and needs a node that writes and one that reads");
        return;
    }
    bool are_right = true;
    for (const bool is_writer : {true, false}) {
        std::string mistake = mistake_of_end(is_writer ? *writer : *reader, is_writer);
        are_right &= mistake.empty();
        if (!mistake.empty()) mistakes.push_back(edge_text(from, i) + mistake);
    }
    if (!are_right) return;
    const any_state_key& given = *stream_of(*writer)->gives();
    const any_state_key& read = *stream_of(*reader)->reads();
    if (given.name != read.name || given.type != read.type)
        mistakes.push_back(edge_text(from, i) + ": the stream '" + std::string{given.name} + "' is given and '" +
                           std::string{read.name} + "' is read" +
                           (given.name == read.name ? ", which have items of different types" : "") +
                           ": name one key on both sides");
}

void check_ways(const description& from, std::size_t i, std::vector<std::string>& mistakes)
{
    const auto& edge = from.edges[i];
    if (edge.kind != edge_kind::plain && edge.kind != edge_kind::on_success)
        mistakes.push_back(edge_text(from, i) + " streams, and is not always taken: make it edge_stream");
    if (!edge.options.map.empty())
        mistakes.push_back(edge_text(from, i) + " streams, and moves values that are not there yet: leave `map` out");
    for (std::size_t other = 0; other < from.edges.size(); ++other) {
        if (other == i) continue;
        if (from.edges[other].to == edge.to)
            mistakes.push_back(edge_text(from, i) + " streams, and another edge leads to '" + edge.to +
                               "' too: a reader begins with its writer only");
        const edge_kind kind = from.edges[other].kind;
        const bool decides = kind == edge_kind::when || kind == edge_kind::routed || kind == edge_kind::llm;
        if (decides && edge.kind == edge_kind::plain && from.edges[other].from == edge.from)
            mistakes.push_back(edge_text(from, i) + " streams, and a conditional edge of '" + edge.from +
                               "' may be taken instead: make it edge_on_success with `streams`");
    }
}

/** Adds a node and its readers, each behind its writer. */
std::size_t add_stage(const graph::data& data, node_index n, std::vector<pipeline_stage>& stages)
{
    const graph_node& node = data.nodes[n];
    const auto body = std::dynamic_pointer_cast<const stream_body>(node.body);
    const std::size_t place = stages.size();
    stages.push_back({node.name, body, node.scope.get(), data.layout->find(outcome_key_name(node.name)),
                      body->gives() ? data.layout->find(body->gives()->name, body->gives()->hash) : state_layout::none,
                      {}});
    for (std::uint32_t e = node.first_edge[0]; e < node.first_edge[edge_ranges]; ++e) {
        if (!data.edges[e].streams) continue;
        const std::size_t reader = add_stage(data, data.edges[e].target, stages);
        stages[place].readers.push_back(reader);
    }
    return place;
}

}  // namespace

void check_stream_edges(const description& from, std::vector<std::string>& mistakes)
{
    for (std::size_t i = 0; i < from.edges.size(); ++i) {
        if (!from.edges[i].options.streams) continue;
        check_ends(from, i, mistakes);
        check_ways(from, i, mistakes);
    }
}

void add_stream_keys(const description& from, state_layout& layout)
{
    for (const auto& edge : from.edges) {
        if (!edge.options.streams) continue;
        const std::string name = outcome_key_name(edge.to);
        layout.add(outcome_key(name));
    }
}

void allow_stream_keys(const state_layout& layout, key_scope& scope)
{
    const key_type* const outcome = outcome_key({}).type;
    for (std::uint32_t slot = 0; slot < layout.size(); ++slot)
        if (layout[slot].type == outcome) scope.readable[slot] = scope.writable[slot] = true;
}

void join_streams(graph::data& data)
{
    std::vector<char> reads(data.nodes.size());
    bool has_any = false;
    for (const graph_edge& edge : data.edges) {
        if (!edge.streams) continue;
        has_any = true;
        reads[edge.target] = 1;
    }
    if (!has_any) return;
    std::vector<std::shared_ptr<const node_body>> work(data.nodes.size());
    for (node_index n = 1; n < data.nodes.size(); ++n) {
        const graph_node& node = data.nodes[n];
        if (reads[n]) {
            work[n] = make_pipeline_reader(std::dynamic_pointer_cast<const stream_body>(node.body),
                                           data.layout->find(outcome_key_name(node.name)));
            continue;
        }
        std::vector<pipeline_stage> stages;
        const auto first = data.edges.begin() + node.first_edge[0];
        const auto last = data.edges.begin() + node.first_edge[edge_ranges];
        if (!std::any_of(first, last, [](const graph_edge& edge) { return edge.streams; })) continue;
        add_stage(data, n, stages);
        work[n] = make_pipeline(std::move(stages));
    }
    for (node_index n = 1; n < data.nodes.size(); ++n)
        if (work[n]) data.nodes[n].body = std::move(work[n]);
}

}  // namespace weft::graph_detail
