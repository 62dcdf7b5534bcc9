#pragma once

#include <weft/base/text/text_position.hpp>
#include <weft/graph/graph.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** How bad a finding is: an error is sure to go wrong, a warning may, a note is worth a look. */
enum class severity : std::uint8_t { note, warning, error };

[[nodiscard]] std::string_view name_of(severity level) noexcept;

/** Something about a graph that `build` accepts and that is probably not meant. */
struct finding {
    std::string rule;                  ///< Stable id, e.g. `endless_cycle`.
    severity level = severity::warning;
    std::string message;               ///< Names the nodes, keys or edges concerned.
    std::string remedy;
    std::vector<std::string> witness;  ///< Nodes along the way that shows it, in order.
};

/** Looks for what is probably not meant, in the graph and in those inside its nodes, whose names come after "/".
 *
 *  Rules:
 *    - `endless_cycle` (error)              no edge leaves a cycle, no node of it can answer with a command, and no
 *                                           visit limit ends it
 *    - `several_client_facing` (error)      more than one branch of a fan-out speaks with a person
 *    - `client_in_race` (warning)           a branch that speaks with a person may be stopped by a faster one
 *    - `possible_write_conflict` (warning)  parallel branches, with items that are sent and graphs inside of nodes, may
 *                                           write one key that has no reducer; as far as it is known what nodes write:
 *                                           by `node_options::writes`, by their kind, or of a node that declares
 *                                           nothing by what it wrote in runs of the graph so far
 *    - `runs_twice` (warning)               several branches of a fan-out come to a node that is not their join; edges
 *                                           after a failure do not count
 *    - `no_otherwise` (warning)             a node has conditional edges only, and they do not provably leave nothing
 *                                           out; conditions that are C++ functions are not judged
 *    - `branches_not_checked` (note)        there are too many fan-outs with long branches to look at all of them
 *    - `unused_edge` (warning)              with `routing::first_match` an edge before it always matches
 *    - `condition_after_success` (note)     an edge whose condition does not look at what its node writes, and nothing
 *                                           answers a failure of the node: conditions are asked after success only
 *    - `dead_end` (note)                    a node without edges in a graph that says elsewhere where it ends
 *    - `stream_read_whole` (note)           an edge streams to a node that reads no stream, and so begins behind it
 *
 *  @par Complexity   Nodes and edges, and for each fan-out the edges up to its join; bounded.
 */
[[nodiscard]] std::vector<finding> analyse(const graph& what);

/** A finding, and where it is. */
struct located_finding {
    finding what;
    std::string file;                 ///< Relative to where readers look; empty if it comes from none.
    std::optional<text_position> at;  ///< Nothing: somewhere in the file.
};

/** Findings as a SARIF 2.1.0 log, for tools that show them beside code. */
[[nodiscard]] boost::json::object to_sarif(std::span<const located_finding> findings);

/** The same for findings of one graph.
 *  @param file   The file that the graph comes from, relative to where the tool looks; empty if there is none. */
[[nodiscard]] boost::json::object to_sarif(std::span<const finding> findings, std::string_view file);

/** A finding in lines for people: rule, message, way, remedy. */
[[nodiscard]] std::string to_text(const finding& found);

}  // namespace weft
