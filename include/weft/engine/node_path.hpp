#pragma once

#include <weft/base/list.hpp>
#include <weft/graph/graph.hpp>

#include <algorithm>
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

    /** The same from the node at `first` on. */
    template <class Function>
    void for_each_from(std::size_t first, Function function) const
    {
        for (auto it = settled_.begin() + static_cast<std::ptrdiff_t>(std::min(first, settled_.size()));
             it != settled_.end(); ++it)
            function(*it);
        const std::size_t skipped = first - std::min(first, settled_.size());
        for (std::size_t i = skipped; i < recent_.size(); ++i) function(recent_[i]);
    }
    /** Whether this is a copy of `older` with nodes appended, as far as that can be told without looking at those that
     *  were settled: of a path of another origin it is not. */
    [[nodiscard]] bool extends(const node_path& older) const
    {
        if (size() < older.size() || !settled_.extends(older.settled_)) return false;
        bool is_same = true;
        std::size_t at = 0;
        for_each_from(older.settled_.size(), [&](node_index node) {
            is_same = is_same && (at >= older.recent_.size() || older.recent_[at] == node);
            ++at;
        });
        return is_same;
    }

private:
    list<node_index> settled_;
    std::vector<node_index, block_allocator<node_index>> recent_;
};

}  // namespace weft
