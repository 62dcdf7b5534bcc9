#pragma once

#include <weft/engine/scheduler/frontier.hpp>

#include <algorithm>
#include <cstddef>

namespace weft {

/** Branches of a run that wait for their turn to start a node, first come, first served. Each is in it at most once.
 *
 *  @par Thread safety   None.
 */
class branch_queue {
public:
    [[nodiscard]] bool is_empty() const noexcept { return taken_ == waiting_.size(); }
    /** The one whose turn is next; there is one. */
    [[nodiscard]] branch_index front() const noexcept { return waiting_[taken_]; }
    [[nodiscard]] branch_index take() noexcept { return waiting_[taken_++]; }

    void push(branch_index branch)
    {
        if (is_empty()) {
            waiting_.clear();
            taken_ = 0;
        }
        waiting_.push_back(branch);
    }
    /** It does not start after all. */
    void remove(branch_index branch)
    {
        const auto found = std::find(first(), waiting_.end(), branch);
        if (found != waiting_.end()) waiting_.erase(found);
    }
    /** By number. The order of arrival is not part of a frontier, this one is. */
    void sort() { std::sort(first(), waiting_.end()); }

private:
    using branches = small_vector<branch_index, 2>;  // most runs have one branch
    [[nodiscard]] branches::iterator first() noexcept
    {
        return waiting_.begin() + static_cast<std::ptrdiff_t>(taken_);
    }

    branches waiting_;  // a queue: taken from `taken_` on
    std::uint32_t taken_ = 0;
};

}  // namespace weft
