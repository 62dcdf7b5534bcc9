#pragma once

#include "graph_description.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace weft::graph_detail {

/** The edges of a description side by side for each source, in the order in which they were declared. */
class edges_by_source {
public:
    explicit edges_by_source(const graph_builder::description& of);

    /** The places in the description of the edges that begin at a name. */
    [[nodiscard]] std::span<const std::uint32_t> of(name_number source) const noexcept
    {
        return {edges_.data() + first_[source], first_[source + 1] - first_[source]};
    }

private:
    std::vector<std::uint32_t> first_;
    std::vector<std::uint32_t> edges_;
};

}  // namespace weft::graph_detail
