#include <weft/engine/frontier.hpp>

namespace weft {

namespace {

token copy_of(const token& t)
{
    token result;
    result.node = t.node;
    result.visit = t.visit;
    result.attempt = t.attempt;
    result.phase = t.phase;
    result.is_stopping = t.is_stopping;
    result.is_counted = t.is_counted;
    result.has_paused = t.has_paused;
    result.has_failed = t.has_failed;
    result.region = t.region;
    result.branch = t.branch;
    result.fork = t.fork;
    result.in_a_row = t.in_a_row;
    result.input = t.input ? std::make_unique<branch_state>(*t.input) : nullptr;
    result.own = t.own ? std::make_unique<branch_state>(*t.own) : nullptr;
    result.previous = t.previous;
    result.branches = t.branches;
    return result;
}

}  // namespace

frontier::frontier(const frontier& other)
    : root{std::make_unique<branch_state>(*other.root)}, regions{other.regions}, visits{other.visits},
      path{other.path}, extras{other.extras ? std::make_unique<frontier_extras>(*other.extras) : nullptr},
      steps{other.steps}, retries{other.retries}, is_degraded{other.is_degraded}
{
    tokens.reserve(other.tokens.size());
    for (const token& t : other.tokens) tokens.push_back(copy_of(t));
    relink();
}

frontier& frontier::operator=(frontier other) noexcept
{
    root = std::move(other.root);
    tokens = std::move(other.tokens);
    regions = std::move(other.regions);
    visits = std::move(other.visits);
    path = std::move(other.path);
    extras = std::move(other.extras);
    steps = other.steps;
    retries = other.retries;
    is_degraded = other.is_degraded;
    return *this;
}

/** Points the copied regions and branches at the copied states instead of the original's. */
void frontier::relink()
{
    // A region's parent may itself have no writes yet and see the state of a region further out.
    const auto state_seen_by = [this](token_index index) -> branch_state* {
        for (;;) {
            const token& t = tokens[index];
            if (t.own) return t.own.get();
            if (t.input) return t.input.get();
            if (t.region == no_index) return root.get();
            index = regions[t.region].parent;
        }
    };
    for (region& r : regions)
        if (r.is_open) r.view = state_seen_by(r.parent);
    for (token& t : tokens) {
        if (t.input) t.input->set_parent(regions[t.region].view);
        if (t.own) t.own->set_parent(t.input ? t.input.get() : regions[t.region].view);
    }
}

failure_ptr frontier::lateness_of(token_index index) const noexcept
{
    if (!extras) return nullptr;
    for (const auto& [token, cause] : extras->late)
        if (token == index) return cause;
    return nullptr;
}

const write_set* frontier::last_outputs_of(node_index node) const noexcept
{
    if (!extras) return nullptr;
    for (const auto& [of, writes] : extras->last_outputs)
        if (of == node) return writes.get();
    return nullptr;
}

}  // namespace weft
