#include <weft/graph/node_context.hpp>

#include <weft/base/error.hpp>
#include <weft/graph/node/joined_branches.hpp>

namespace weft {

std::span<const branch_result> node_context::branches() const
{
    // The list is made here, by its first reader.
    if (!before().branches) return {};
    return before().branches->results();
}

std::string node_context::revision_note() const
{
    if (!before().last_outputs) return {};
    return "Graph state '" + std::string{node()} + "' visit #" + std::to_string(visit()) +
           ". Prior visit's output is provided above; refine your response based on it.";
}

void node_context::refuse_missing(std::string_view key) const
{
    throw error{errc::missing_state_value, "node '" + std::string{node()} + "', key '" + std::string{key} + "'",
                "give it with the run's input, write it in an earlier node, or use find or value_or"};
}

}  // namespace weft
