#include "frame_decoder.hpp"

#include "engine/value/checkpoint_format.hpp"
#include "engine/value/list_tree.hpp"
#include "frame_branches_reader.hpp"
#include "frontier_check.hpp"

#include <weft/graph/node/subgraph.hpp>

#include <algorithm>
#include <chrono>
#include <memory>

namespace weft::checkpoint_detail {

std::optional<frontier> frame_decoder::read(linked_reader from, std::size_t depth)
{
    // A damaged record must not use up the stack.
    if (depth >= frames_max) from.refuse("graphs are nested in nodes too deep");
    const frame_sections sections{from};
    data_.visits.resize(of_.size());
    if (const auto part = sections.find(frame_section::counts)) read_counts(*part);
    read_state(sections);
    if (const auto part = sections.find(frame_section::failures)) values_.read_failures(*part);
    read_branches(sections);
    if (const auto part = sections.find(frame_section::path)) read_path(*part);
    read_extras(sections, depth);
    // Before the check, which would call a missing node damage.
    if (values_.has_problems()) return std::nullopt;
    check_frontier(data_, of_);
    for (branch_index t = 0; t < data_.branches.size(); ++t)
        if (data_.branches[t].phase == branch_phase::broken_off && data_.branches[t].region != no_index)
            data_.regions[data_.branches[t].region].broken_off.push_back(t);
    return frontier{std::move(data_)};
}

void frame_decoder::read_branches(const frame_sections& sections)
{
    using region_form = frame_branches_reader::region_form;
    frame_branches_reader reader{of_, values_};
    if (const auto part = sections.find(frame_section::tokens)) data_.branches = reader.read_branches(*part);
    if (const auto part = sections.find(frame_section::regions))
        data_.regions = reader.read_regions(*part, region_form::whole);
    const auto part = sections.find(frame_section::fan_outs);
    if (!part) return;
    if (!data_.regions.empty()) part->refuse("fan-outs are there twice");
    data_.regions = reader.read_regions(*part, region_form::lists);
}

void frame_decoder::read_counts(linked_reader from)
{
    data_.steps = from.number32("the number of steps");
    data_.retries = from.number32("the number of retries");
    data_.is_degraded = from.number_up_to(1, "a flag") != 0;
    for (std::size_t left = from.count("the number of nodes"); left > 0; --left) {
        const node_index visited = values_.node(from);
        const std::uint32_t visits = from.number32("a number of visits");
        if (visited < data_.visits.size()) data_.visits[visited] = visits;
    }
    from.require_end();
}

void frame_decoder::read_state(const frame_sections& sections)
{
    state values{of_.layout()};
    // A key that the old graph had begins with what it had then, a new one with its initial value.
    for (const frame_names::key& known : names_.keys())
        if (known.what == frame_names::key::fate::kept && !(*of_.layout())[known.slot].type->is_transient &&
            values.at(known.slot))
            values.writable(known.slot) = nullptr;
    if (auto part = sections.find(frame_section::state)) {
        for (std::size_t left = part->count("the number of values"); left > 0; --left) {
            const frame_names::key& its_key = values_.key(*part);
            value_ptr read = values_.value(*part, its_key, frame_value_reader::role::value);
            if (read) values.writable(its_key.slot) = std::move(read);
        }
        part->require_end();
    }
    data_.root = branch_state{std::move(values)};
}

void frame_decoder::read_path(linked_reader from)
{
    const list_tree path = list_tree::read(from);
    from.require_end();
    path.for_each(with_.values.blobs(), [this](std::string_view bytes, std::span<const content_hash>) {
        linked_reader one{bytes, "checkpoint, path", {}};
        const node_index visited = values_.node(one);
        one.require_end();
        if (visited != lost_node) data_.path.push_back(visited);
    });
    data_.path.settle();
}

void frame_decoder::read_extras(const frame_sections& sections, std::size_t depth)
{
    const auto extras = [this]() -> frontier_extras& {
        if (!data_.extras) data_.extras = std::make_unique<frontier_extras>();
        return *data_.extras;
    };
    if (auto part = sections.find(frame_section::deferred)) {
        extras();
        for (std::size_t left = part->count("the number of deferred nodes"); left > 0; --left)
            data_.extras->deferred.push_back(values_.needed_node(*part, "it is still to run at the end"));
    }
    if (const auto part = sections.find(frame_section::last_outputs)) {
        extras();
        read_last_outputs(*part);
    }
    if (auto part = sections.find(frame_section::late)) {
        extras();
        for (std::size_t left = part->count("the number of late branches"); left > 0; --left) {
            const auto index = static_cast<branch_index>(part->number_up_to(data_.branches.size(), "a branch"));
            data_.extras->late.emplace_back(index, values_.failure(*part));
        }
    }
    if (const auto part = sections.find(frame_section::inner)) {
        extras();
        read_inner(*part, depth);
    }
    if (const auto part = sections.find(frame_section::spent)) {
        extras();
        read_spent(*part);
    }
    if (auto part = sections.find(frame_section::elapsed)) {
        extras();
        data_.extras->elapsed = std::chrono::nanoseconds{part->signed_number()};
        part->require_end();
    }
    if (const run_id origin = read_origin(sections); !origin.is_nil()) extras().origin = origin;
}

void frame_decoder::read_last_outputs(linked_reader from)
{
    for (std::size_t left = from.count("the number of nodes with outputs"); left > 0; --left) {
        const node_index of = values_.node(from);
        auto writes = std::make_shared<const write_set>(values_.writes(from));
        if (of < of_.size()) data_.extras->last_outputs.emplace_back(of, std::move(writes));
    }
    from.require_end();
}

void frame_decoder::read_inner(linked_reader from, std::size_t depth)
{
    for (std::size_t left = from.count("the number of graphs in nodes"); left > 0; --left) {
        const auto branch = static_cast<branch_index>(from.number());
        const auto frame = from.next_section();
        if (!frame || branch >= data_.branches.size()) from.refuse("a graph in a node is missing");
        read_inner_frame(from.inside(frame->bytes, "checkpoint"), branch, depth);
    }
    from.require_end();
}

void frame_decoder::read_inner_frame(linked_reader from, branch_index branch, std::size_t depth)
{
    const node_index at = data_.branches[branch].node;
    if (at >= of_.size() || data_.branches[branch].phase == branch_phase::free)
        from.refuse("a graph in a node has no node");
    const graph_node& its_node = of_.node(at);
    const subgraph* const inner = its_node.body ? its_node.body->inner() : nullptr;
    // The shape of the old graph says what stood in the node; it need not have the place of now.
    const auto old = std::find_if(names_.nodes().begin(), names_.nodes().end(),
                                  [at](const frame_names::node& n) { return n.now == at; });
    const bool was_graph = names_.is_same_graph() || (old != names_.nodes().end() && old->inner);
    if (!inner || !was_graph) {
        if (!values_.has_problems() && names_.is_same_graph()) from.refuse("the node of a graph is none");
        if (!values_.has_problems())
            values_.add_problem(graph_change::kind::graph_changed, its_node.name,
                    "the run stands within it, and it is no graph any more");
        return;
    }
    const frame_names names = names_.is_same_graph() ? frame_names{inner->graph}
                                                     : frame_names{*old->inner, inner->graph, with_.by};
    frame_decoder reader{inner->graph, names, with_, values_.prefix() + its_node.name + "/"};
    std::optional<frontier> inside = reader.read(from, depth + 1);
    if (inside)
        data_.extras->inner.emplace_back(branch, std::make_shared<const frontier>(std::move(*inside)));
    else
        values_.mark_problem();
}

void frame_decoder::read_spent(linked_reader from)
{
    spending spent;
    spent.tokens = tokens{from.signed_number()};
    spent.cost = usd_micros{from.signed_number()};
    spent.model_calls = from.signed_number();
    spent.tool_calls = from.signed_number();
    spent.turns = from.signed_number();
    from.require_end();
    data_.extras->spent = spent;
}

}  // namespace weft::checkpoint_detail
