#pragma once

#include <weft/engine/scheduler/frontier.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace weft {

/** Branches of a run that wait for their turn to start a node, first come, first served. Each is in it at most once.
 *
 *  @par Thread safety   None.
 */
class branch_queue {
public:
    [[nodiscard]] bool is_empty() const noexcept { return next_ == no_index; }
    /** The one whose turn is next; there is one. */
    [[nodiscard]] branch_index front() const noexcept { return next_; }
    [[nodiscard]] branch_index take() noexcept
    {
        return std::exchange(next_, taken_ < behind_.size() ? behind_[taken_++] : no_index);
    }

    void push(branch_index branch)
    {
        if (!is_empty()) return behind_.push_back(branch);
        next_ = branch;
        behind_.clear();
        taken_ = 0;
    }
    /** It does not start after all. */
    void remove(branch_index branch)
    {
        if (next_ == branch) {
            static_cast<void>(take());
            return;
        }
        const auto found = std::find(first_behind(), behind_.end(), branch);
        if (found != behind_.end()) behind_.erase(found);
    }
    /** By number. The order of arrival is not part of a frontier, this one is. */
    void sort()
    {
        if (is_empty()) return;
        const auto least = std::min_element(first_behind(), behind_.end());
        if (least != behind_.end() && *least < next_) std::swap(*least, next_);
        std::sort(first_behind(), behind_.end());
    }

private:
    [[nodiscard]] branch_index* first_behind() noexcept { return behind_.begin() + taken_; }

    pooled_vector<branch_index> behind_;  // a queue: taken from `taken_` on
    branch_index next_ = no_index;        // by itself, since most runs have one branch
    std::uint32_t taken_ = 0;
};

}  // namespace weft
