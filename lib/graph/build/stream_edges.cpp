#include "stream_edges.hpp"

#include "node_names.hpp"

#include "graph/node/stream_pipeline.hpp"

#include <algorithm>
#include <utility>

namespace weft::graph_detail {

namespace {

using description = graph_builder::description;

/** Null for the start, the end and what is not there. */
const description::node* node_called(const description& from, const node_names& names, name_number name)
{
    const node_index found = names.at(name);
    return found == no_node || found == start_node || found == end_node ? nullptr : &from.nodes[found - 1];
}

const stream_body* stream_of(const description::node& node)
{
    return dynamic_cast<const stream_body*>(node.body.get());
}

bool is_declared(const description& from, const any_state_key& key)
{
    return std::any_of(from.keys.begin(), from.keys.end(),
                       [&](const any_state_key& known) { return known.name == key.name && known.type == key.type; });
}

/** What is wrong with a node at one end of a stream edge, beside the types of the streams. */
std::string mistake_of_writer(const description& from, const description::node& node)
{
    const stream_body* const body = stream_of(node);
    const std::string subject = ": '" + from.names[node.name] + "' ";
    if (!body || !body->gives())
        return subject + "gives no stream: one that does is made by `streaming`, or is of the kind llm and writes one "
                         "key, of a text that is replaced, without `messages`";
    if (node.options->cache) return subject + "has a cache, which cannot keep a stream: leave it out";
    return {};
}
std::string mistake_of_reader(const description& from, const description::node& node, const description::node& writer)
{
    const stream_body* const body = stream_of(node);
    const std::string subject = ": '" + from.names[node.name] + "' ";
    if (body && body->reads())
        return node.options->cache ? subject + "has a cache, which cannot keep a stream: leave it out" : "";
    const stream_body* const given = stream_of(writer);
    if (!given || !given->gives() || is_declared(from, *given->gives())) return {};
    return subject + "reads no stream: make it by `streaming`, or declare '" + std::string{given->gives()->name} +
           "' in the state, so that it can read the whole";
}

void check_ends(const description& from, const node_names& names, std::size_t i, std::vector<std::string>& mistakes)
{
    const auto& edge = from.edges[i];
    const description::node* const writer = node_called(from, names, edge.from);
    const description::node* const reader = node_called(from, names, edge.to);
    if (!writer || !reader) {
        if (edge.from == name_table::start || edge.to == name_table::end)
            mistakes.push_back(edge_text(from, i) + " streams, and needs a node that writes and one that reads");
        return;
    }
    bool are_right = true;
    for (const std::string& mistake : {mistake_of_writer(from, *writer), mistake_of_reader(from, *reader, *writer)}) {
        are_right &= mistake.empty();
        if (!mistake.empty()) mistakes.push_back(edge_text(from, i) + mistake);
    }
    if (!are_right || stream_over(from, names, edge) == edge_stream::whole) return;
    const any_state_key& given = *stream_of(*writer)->gives();
    const any_state_key& read = *stream_of(*reader)->reads();
    if (given.name != read.name || given.type != read.type)
        mistakes.push_back(edge_text(from, i) + ": the stream '" + std::string{given.name} + "' is given and '" +
                           std::string{read.name} + "' is read" +
                           (given.name == read.name ? ", which have items of different types" : "") +
                           ": name one key on both sides");
}

void check_ways(const description& from, const node_names& names, std::size_t i, std::vector<std::string>& mistakes)
{
    const auto& edge = from.edges[i];
    if (edge.kind != edge_kind::plain && edge.kind != edge_kind::on_success)
        mistakes.push_back(edge_text(from, i) + " streams, and is not always taken: make it plain or on_success");
    if (!edge.rule().map.empty())
        mistakes.push_back(edge_text(from, i) + " streams, and moves values that are not there yet: leave `map` out");
    if (stream_over(from, names, edge) == edge_stream::whole) return;  // begins like a node behind any other edge
    for (std::size_t other = 0; other < from.edges.size(); ++other) {
        if (other == i) continue;
        if (from.edges[other].to == edge.to)
            mistakes.push_back(edge_text(from, i) + " streams, and another edge leads to '" + target_of(from, edge) +
                               "' too: a reader begins with its writer only");
        const edge_kind kind = from.edges[other].kind;
        const bool decides = kind == edge_kind::when || kind == edge_kind::routed || kind == edge_kind::llm;
        if (decides && edge.kind == edge_kind::plain && from.edges[other].from == edge.from)
            mistakes.push_back(edge_text(from, i) + " streams, and a conditional edge of '" + source_of(from, edge) +
                               "' may be taken instead: make it on_success");
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
        if (data.edges[e].streams != edge_stream::pieces) continue;
        const std::size_t reader = add_stage(data, data.edges[e].target, stages);
        stages[place].readers.push_back(reader);
    }
    return place;
}

}  // namespace

edge_stream stream_over(const description& from, const node_names& names, const description::edge& edge)
{
    if (!edge.streams) return edge_stream::none;
    const description::node* const reader = node_called(from, names, edge.to);
    const stream_body* const body = reader ? stream_of(*reader) : nullptr;
    return body && body->reads() ? edge_stream::pieces : edge_stream::whole;
}

void check_stream_edges(const description& from, const node_names& names, std::vector<std::string>& mistakes)
{
    for (std::size_t i = 0; i < from.edges.size(); ++i) {
        if (!from.edges[i].streams) continue;
        check_ends(from, names, i, mistakes);
        check_ways(from, names, i, mistakes);
    }
}

void add_stream_keys(const description& from, const node_names& names, state_layout& layout)
{
    for (const auto& edge : from.edges) {
        if (stream_over(from, names, edge) != edge_stream::pieces) continue;
        const std::string name = outcome_key_name(target_of(from, edge));
        layout.add(outcome_key(name));
    }
}

void allow_stream_keys(const state_layout& layout, key_scope& scope)
{
    for (std::uint32_t slot = 0; slot < layout.size(); ++slot)
        if (is_outcome_key(*layout[slot].type)) scope.readable[slot] = scope.writable[slot] = true;
}

void join_streams(graph::data& data)
{
    std::vector<char> reads(data.nodes.size());
    bool has_any = false;
    for (const graph_edge& edge : data.edges) {
        if (edge.streams != edge_stream::pieces) continue;
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
        if (std::none_of(first, last, [](const auto& edge) { return edge.streams == edge_stream::pieces; })) continue;
        add_stage(data, n, stages);
        work[n] = make_pipeline(std::move(stages));
    }
    for (node_index n = 1; n < data.nodes.size(); ++n)
        if (work[n]) data.nodes[n].body = std::move(work[n]);
}

}  // namespace weft::graph_detail
