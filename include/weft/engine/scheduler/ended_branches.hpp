#pragma once

#include <weft/base/memory/settled_list.hpp>
#include <weft/graph/node/failure.hpp>
#include <weft/graph/state/branch_state.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace weft {

/** How a branch of a fan-out ended. */
struct ended_branch {
    std::uint32_t branch;
    branch_status status;
    failure_ptr error;
    branch_state::entries changes;  ///< What it wrote, for the join.

    /** Whether they are copies of one another: failures and values are told by their identity. */
    friend bool operator==(const ended_branch& a, const ended_branch& b) noexcept
    {
        const auto is_same = [](const branch_state::entry& one, const branch_state::entry& other) {
            return one.slot == other.slot && one.is_overwrite == other.is_overwrite && one.folded == other.folded &&
                   one.visible == other.visible && one.updates == other.updates;
        };
        return a.branch == b.branch && a.status == b.status && a.error == b.error &&
               std::equal(a.changes.begin(), a.changes.end(), b.changes.begin(), b.changes.end(), is_same);
    }
};

/** The branches of a fan-out that have ended, in the order in which they ended. Only those that succeeded and wrote
 *  nothing, as many do, are known by their number until the next `settle`, and then stand behind the others.
 *
 *  Copies share what is settled, so that they cost the same however many branches have ended.
 *
 *  @par Thread safety   As a value.
 */
class ended_branches {
public:
    using items = settled_list<ended_branch>::items;

    /** One that succeeded and wrote nothing. @param expected   How many branches the fan-out has. */
    void add_plain(std::uint32_t branch, std::uint32_t expected)
    {
        if (plain_.empty()) plain_.reserve(expected);
        plain_.push_back(branch);
    }
    /** Any other. @param expected   As above. */
    ended_branch& add(std::uint32_t branch, branch_status status, std::uint32_t expected)
    {
        if (ended_.empty()) ended_.reserve(expected);
        ended_branch& added = ended_.emplace_back();
        added.branch = branch;
        added.status = status;
        return added;
    }
    void push_back(ended_branch one) { ended_.push_back(std::move(one)); }

    /** Makes everything so far shareable; before copies that are made again and again. */
    void settle()
    {
        for (const std::uint32_t branch : plain_) ended_.push_back({branch, branch_status::succeeded, nullptr, {}});
        plain_.clear();
        ended_.settle();
    }

    /** Calls `function` with the number of each that is known by it only, then `rest` with each other one. */
    template <class Function, class Rest>
    void for_each(Function function, Rest rest) const
    {
        for (const std::uint32_t branch : plain_) function(branch);
        ended_.for_each(rest);
    }
    /** All of them. */
    [[nodiscard]] settled_list<ended_branch> all() const
    {
        ended_branches settled = *this;
        if (!plain_.empty()) settled.settle();
        return std::move(settled.ended_);
    }

    /** Those that are not known by their number only; none are left. */
    [[nodiscard]] items take()
    {
        plain_.clear();
        return ended_.take();
    }

private:
    settled_list<ended_branch> ended_;
    pooled_vector<std::uint32_t> plain_;
};

}  // namespace weft
