#pragma once

#include <weft/base/errc.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/node/command.hpp>

#include <optional>
#include <string>

namespace weft {

/** Why a node's answer leads nowhere. */
struct command_mistake {
    errc code;
    std::string text;
};

/** Whether an answer names a place to go to, which may not exist. */
[[nodiscard]] inline bool names_a_place(const command& answer) noexcept
{
    return answer.which() == command::kind::go_to || answer.which() == command::kind::label;
}

/** Nothing if the place exists to which `answer` goes, or if it names none. A node whose answer leads nowhere has
 *  failed: what it wrote does not count, so that it may run again. */
[[nodiscard]] inline std::optional<command_mistake> mistake_of(const graph& of, const graph_node& node,
                                                               const command& answer)
{
    if (answer.which() == command::kind::go_to) {
        const node_index target = of.find(answer.text());
        if (target != no_node && target != start_node) return std::nullopt;
        return command_mistake{errc::unknown_node,
                               "its command goes to '" + answer.text() + "'; name a node of the graph"};
    }
    if (answer.which() != command::kind::label) return std::nullopt;
    std::string known;
    for (const graph_edge& edge : of.labelled(node)) {
        if (edge.label == answer.text()) return std::nullopt;
        known.append(known.empty() ? "" : ", ").append("'" + edge.label + "'");
    }
    known = known.empty() ? "no labels: give it edges of the kind label" : "the labels " + known;
    return command_mistake{errc::unknown_label, "'" + answer.text() + "'; the node has " + known};
}

}  // namespace weft
