#include "graph_abilities.hpp"

#include <set>
#include <string>

namespace weft {

std::vector<graph_ability> graph_abilities(const durable_graphs& of, bool claims)
{
    std::set<graph_ability> revisions;
    std::set<graph_ability> names;
    for (const durable_graphs::entry& each : of.entries()) {
        const std::string name{each.graph().name()};
        names.insert(graph_ability{name});
        revisions.insert(graph_ability{name, each.table->fingerprint()});
        if (!each.migrations) continue;
        for (std::string& from : each.migrations->origins_of(each.table->fingerprint()))
            revisions.insert(graph_ability{name, std::move(from)});
    }
    if (!claims) names.insert(graph_ability::no_claims());
    if (!claims) revisions.insert(graph_ability::no_claims());
    if (revisions.size() <= worker_entry::graphs_max) return {revisions.begin(), revisions.end()};
    if (names.size() <= worker_entry::graphs_max) return {names.begin(), names.end()};
    return {};
}

}  // namespace weft
