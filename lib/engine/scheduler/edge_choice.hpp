#pragma once

#include <weft/base/errc.hpp>
#include <weft/graph/graph.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** Picks the conditional edge that a branch takes: the first in order that holds. It asks for one answer at a time, so
 *  that conditions behind the first that holds are not evaluated; the driver evaluates `asked` and gives the answer.
 *
 *  Usage: `while (const graph_edge* edge = choice.asked()) choice.answer(evaluate(*edge));`, or `answer_label`.
 *
 *  @par Thread safety   None.
 *  @par Lifetimes       The graph outlives it.
 */
class edge_choice {
public:
    /** A label that no edge of a decision has. */
    struct mistake {
        const graph_edge* edge;  ///< The first edge of the decision.
        errc code;
        std::string detail;
    };

    /** @param has_failed  Whether the node has failed for good: then the edges are asked that lead on after failure. */
    edge_choice(const graph& of, const graph_node& node, bool has_failed);

    /** The edge whose condition is to be evaluated: its `expression` or `holds`, or the label of its `route`. Null: the
     *  choice is made. */
    [[nodiscard]] const graph_edge* asked() const noexcept
    {
        return is_made_ || next_ == size() ? nullptr : &at(next_);
    }
    /** Whether the condition of `asked` holds. */
    void answer(bool holds) noexcept;
    /** The label that the `route` of `asked` gives. It answers all edges of the decision, which stand together. */
    void answer_label(std::string_view label);
    /** The condition of `asked` cannot be evaluated: no edge is taken. */
    void give_up() noexcept { is_made_ = true; }

    /** The edge that holds; null if none does. */
    [[nodiscard]] const graph_edge* chosen() const noexcept { return chosen_; }
    [[nodiscard]] const std::optional<mistake>& wrong() const noexcept { return wrong_; }

private:
    [[nodiscard]] const graph_edge& at(std::size_t index) const noexcept
    {
        return rescues_.empty() ? edges_[index] : *rescues_[index];
    }
    [[nodiscard]] std::size_t size() const noexcept { return rescues_.empty() ? edges_.size() : rescues_.size(); }
    void choose(const graph_edge& edge) noexcept
    {
        chosen_ = &edge;
        is_made_ = true;
    }

    std::span<const graph_edge> edges_;        // those that are asked after success
    std::vector<const graph_edge*> rescues_;   // after failure
    std::size_t next_ = 0;
    const graph_edge* chosen_ = nullptr;
    std::optional<mistake> wrong_;
    bool is_made_ = false;
};

}  // namespace weft
