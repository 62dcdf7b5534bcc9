#include <weft/engine/scheduler/frontier.hpp>

#include <algorithm>
#include <utility>

namespace weft {

/** Points regions and branches that were copied or moved at the states that came along, instead of the original's. */
void frontier::relink_branches() noexcept
{
    // A region's parent may itself have no writes yet and see the state of a region further out.
    const auto state_seen_by = [this](branch_index index) -> branch_state* {
        for (;;) {
            const run_branch& t = branches[index];
            if (t.own) return t.own.get();
            if (t.input) return t.input.get();
            if (t.region == no_index) return root.get();
            index = regions[t.region].parent;
        }
    };
    for (region& r : regions)
        // First the views of regions, which those of branches are made of.
        if (r.is_open) r.view = state_seen_by(r.parent);
    for (run_branch& t : branches) {
        if (t.input) t.input->set_parent(regions[t.region].view);
        if (t.own) t.own->set_parent(t.input ? t.input.get() : regions[t.region].view);
    }
}

void frontier::write_trail(const graph& of)
{
    if (!std::exchange(is_on_line, false)) return;
    visits.resize(of.size());
    path.reserve(std::min<std::size_t>(of.size(), 32));
    node_index at = start_node;
    for (std::uint32_t step = 0; step < steps; ++step) {
        at = of.node(at).only_next;
        visits[at] = 1;
        path.push_back(at);
    }
}

void frontier::settle(const graph& of)
{
    write_trail(of);
    path.settle();
    for (region& r : regions) r.ended.settle();
}

failure_ptr frontier::lateness_of(branch_index index) const noexcept
{
    if (!extras) return nullptr;
    for (const auto& [branch, cause] : extras->late)
        if (branch == index) return cause;
    return nullptr;
}

std::shared_ptr<const frontier> frontier::inner_of(branch_index index) const noexcept
{
    if (!extras) return nullptr;
    for (const auto& [branch, inner] : extras->inner)
        if (branch == index) return inner;
    return nullptr;
}

void frontier::note_inner(branch_index index, std::shared_ptr<const frontier> inner)
{
    // Most runs have no graph in a node: these need no extras for this.
    if (!inner && !extras) return;
    auto& all = extra().inner;
    std::erase_if(all, [index](const auto& entry) { return entry.first == index; });
    if (inner) all.emplace_back(index, std::move(inner));
}

const write_set* frontier::last_outputs_of(node_index node) const noexcept
{
    if (!extras) return nullptr;
    for (const auto& [of, writes] : extras->last_outputs)
        if (of == node) return writes.get();
    return nullptr;
}

}  // namespace weft
