#pragma once

#include <weft/base/list.hpp>
#include <weft/graph/graph.hpp>

#include <cstddef>
#include <vector>

namespace weft {

/** The nodes of a run in the order in which they were started. Appending costs what a vector costs; after `settle` a
 *  copy costs the same however long the path is.
 */
class node_path {
public:
    void reserve(std::size_t size) { recent_.reserve(size); }
    void push_back(node_index node) { recent_.push_back(node); }

    /** Makes everything so far shareable; before copies that are made again and again. */
    void settle()
    {
        for (const node_index node : recent_) settled_.push_back(node);
        recent_.clear();
    }

    [[nodiscard]] std::size_t size() const noexcept { return settled_.size() + recent_.size(); }
    template <class Function>
    void for_each(Function function) const
    {
        for (const node_index node : settled_) function(node);
        for (const node_index node : recent_) function(node);
    }

private:
    list<node_index> settled_;
    std::vector<node_index, block_allocator<node_index>> recent_;
};

}  // namespace weft
