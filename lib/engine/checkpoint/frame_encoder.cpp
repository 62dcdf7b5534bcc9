#include "frame_encoder.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <boost/assert.hpp>

#include <utility>
#include <vector>

namespace weft::checkpoint_detail {

namespace {

class path_items final : public item_maker {
public:
    /** @param nodes   What it keeps of the path; outlives it. */
    path_items(const node_path& path, std::vector<node_index>& nodes) noexcept : path_{path}, nodes_{nodes}
    {
        nodes_.clear();
    }
    encoded_item item(std::uint64_t index) override
    {
        if (index < first_ || index >= first_ + nodes_.size()) {
            first_ = index;
            nodes_.clear();
            path_.for_each_from(static_cast<std::size_t>(index), [this](node_index n) { nodes_.push_back(n); });
        }
        record_writer one;
        one.number(code_of_node(nodes_[static_cast<std::size_t>(index - first_)]));
        return {one.take()};
    }

private:
    const node_path& path_;
    std::uint64_t first_ = 0;
    std::vector<node_index>& nodes_;
};

void write_id(record_writer& to, const unique_id& id)
{
    for (const std::uint8_t byte : id.bytes) to.byte(byte);
}

}  // namespace

void frame_encoder::write(std::size_t depth)
{
    if (depth >= frames_max)
        throw error{errc::limit_reached, values_.prefix(),
                    "graphs are nested in nodes more than " + std::to_string(frames_max) + " deep"};
    BOOST_ASSERT(where_.root->root().layout().size() == of_.layout()->size());  // it is a run of this graph
    BOOST_ASSERT_MSG(!where_.is_on_line, "the trail of a frontier is written down before it is kept: settle it");
    memory_.is_used = true;
    write_counts();
    write_state();
    frame_branches_writer branches{of_, where_, with_, values_, memory_.regions};
    if (!where_.branches.empty()) section(frame_section::tokens, [&] { branches.write_branches(); });
    if (!where_.regions.empty()) section(frame_section::fan_outs, [&] { branches.write_regions(); });
    branches.forget_closed();
    if (where_.path.size() > 0) section(frame_section::path, [this] { write_path(); });
    if (where_.extras) write_extras(depth);
    std::erase_if(memory_.inner, [](auto& entry) { return !std::exchange(entry.second->is_used, false); });
    // Last: the sections before say which failures there are.
    if (values_.has_failures()) section(frame_section::failures, [this] { values_.write_failures(to_); });
}

void frame_encoder::write_node(node_index node) { to_.number(code_of_node(node)); }

void frame_encoder::write_counts()
{
    section(frame_section::counts, [this] {
        to_.number(where_.steps);
        to_.number(where_.retries);
        to_.byte(where_.is_degraded ? 1 : 0);
        std::uint64_t visited = 0;
        for (const std::uint32_t visits : where_.visits) visited += visits > 0 ? 1 : 0;
        to_.number(visited);
        for (node_index n = 0; n < where_.visits.size(); ++n) {
            if (where_.visits[n] == 0) continue;
            write_node(n);
            to_.number(where_.visits[n]);
        }
    });
}

void frame_encoder::write_state()
{
    const state& values = where_.root->root();
    const state_layout& layout = *of_.layout();
    const auto is_stored = [&](std::uint32_t slot) {
        return values.at(slot) && !layout[slot].type->is_transient && values.at(slot)->type().to_json;
    };
    std::uint64_t count = 0;
    for (std::uint32_t slot = 0; slot < layout.size(); ++slot) count += is_stored(slot) ? 1 : 0;
    if (count == 0) return;
    section(frame_section::state, [&] {
        to_.number(count);
        for (std::uint32_t slot = 0; slot < layout.size(); ++slot) {
            if (!is_stored(slot)) continue;
            to_.number(slot);
            values_.write_value(to_, values.at(slot), slot);
        }
    });
}

void frame_encoder::write_path()
{
    if (!where_.path.extends(memory_.path)) memory_.path_tree = list_tree{};
    path_items items{where_.path, memory_.newest_nodes};
    if (!memory_.path_tree.extend(items, where_.path.size(), with_.blobs)) {
        memory_.path_tree = list_tree{};
        (void)memory_.path_tree.extend(items, where_.path.size(), with_.blobs);
    }
    memory_.path = where_.path;
    memory_.path_tree.write(to_, with_.blobs);
}

void frame_encoder::write_extras(std::size_t depth)
{
    const frontier_extras& extras = *where_.extras;
    if (!extras.deferred.empty())
        section(frame_section::deferred, [&] {
            to_.number(extras.deferred.size());
            for (const node_index n : extras.deferred) write_node(n);
        });
    if (!extras.last_outputs.empty())
        section(frame_section::last_outputs, [&] {
            to_.number(extras.last_outputs.size());
            for (const auto& [of, writes] : extras.last_outputs) {
                write_node(of);
                write_set stored;  // what is never stored cannot be shown to a node again
                for (const state_write& w : *writes)
                    if (!(*of_.layout())[w.slot].type->is_transient && (!w.value || w.value->type().to_json))
                        stored.push_back(w);
                values_.write_writes(to_, stored);
            }
        });
    if (!extras.late.empty())
        section(frame_section::late, [&] {
            to_.number(extras.late.size());
            for (const auto& [branch, cause] : extras.late) {
                to_.number(branch);
                values_.write_failure(to_, cause);
            }
        });
    if (!extras.inner.empty()) section(frame_section::inner, [&] { write_inner(depth); });
    if (extras.spent) section(frame_section::spent, [&] { write_spent(*extras.spent); });
    if (extras.elapsed.count() != 0)
        section(frame_section::elapsed, [&] { to_.signed_number(extras.elapsed.count()); });
    if (!extras.origin.is_nil()) section(frame_section::origin, [&] { write_id(to_, extras.origin.value()); });
}

void frame_encoder::write_inner(std::size_t depth)
{
    to_.number(where_.extras->inner.size());
    for (const auto& [branch, inside] : where_.extras->inner) {
        const graph_node& node = of_.node(where_.branches[branch].node);
        const subgraph* const inner = node.body ? node.body->inner() : nullptr;
        if (!inner)
            throw error{errc::state_conversion, "node '" + values_.prefix() + node.name + "'",
                        "it stands within a graph, and is none"};
        to_.number(branch);
        auto& memory = memory_.inner[branch];
        if (!memory) memory = std::make_unique<frame_memory>();
        const record_writer::section frame = to_.begin(branch);
        frame_encoder{inner->graph, *inside, with_, *memory, values_.prefix() + node.name + "/"}.write(depth + 1);
        to_.end(frame);
    }
}

void frame_encoder::write_spent(const spending& spent)
{
    to_.signed_number(spent.tokens.count());
    to_.signed_number(spent.cost.count());
    to_.signed_number(spent.model_calls);
    to_.signed_number(spent.tool_calls);
    to_.signed_number(spent.turns);
}

}  // namespace weft::checkpoint_detail
