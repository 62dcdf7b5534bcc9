#pragma once

#include "compilation.hpp"

#include <optional>

namespace weft::spec_detail {

/** Makes a graph of a spec, and reports each mistake where it is in the file.
 *
 *  @param at              Where the spec is in its file.
 *  @param has_all_names   False if names of nodes or keys may be missing after mistakes of shape; there is no graph
 *                         then, but further mistakes are found.
 *  @return                The graph, or nothing if there were mistakes. */
[[nodiscard]] std::optional<graph> compile_spec(const graph_spec& spec, const json_path& at,
                                                compiler_surroundings around, bool has_all_names = true);

}  // namespace weft::spec_detail
