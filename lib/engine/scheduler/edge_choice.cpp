#include "edge_choice.hpp"

#include <utility>

namespace weft {

edge_choice::edge_choice(const graph& of, const graph_node& node, bool has_failed)
{
    if (has_failed)
        rescues_ = of.asked_after_failure(node);
    else
        edges_ = of.conditional(node);
}

void edge_choice::answer(bool holds) noexcept
{
    if (holds)
        choose(at(next_));
    else
        ++next_;
}

void edge_choice::answer_label(std::string_view label)
{
    const graph_edge& first = at(next_);
    std::string known;
    for (; next_ < size() && at(next_).route == first.route; ++next_) {
        const graph_edge& edge = at(next_);
        if (edge.label == label) return choose(edge);
        known.append(known.empty() ? "'" : ", '").append(edge.label).append("'");
    }
    is_made_ = true;
    wrong_ = mistake{&first, errc::unknown_label, "'" + std::string{label} + "'; the labels are " + known};
}

}  // namespace weft
