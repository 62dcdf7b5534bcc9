#include <weft/engine/run_options.hpp>

#include <weft/graph/graph.hpp>

namespace weft {

row_limit row_limit_of(const run_options& options, const graph& what) noexcept
{
    const row_limit& of_graph = what.row_limit();
    const std::uint32_t of_run = options.in_a_row_max();
    if (of_run == 0 || (of_graph.visits != 0 && of_graph.visits < of_run)) return of_graph;
    return {of_run, options.at_limit()};
}

}  // namespace weft
