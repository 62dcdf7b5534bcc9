#include <weft/engine/scheduler/ended_branches.hpp>

#include <algorithm>

namespace weft {

bool operator==(const ended_branch& a, const ended_branch& b) noexcept
{
    const auto is_same_entry = [](const branch_state::entry& one, const branch_state::entry& other) {
        return one.slot == other.slot && one.is_overwrite == other.is_overwrite && one.folded == other.folded &&
               one.visible == other.visible && one.updates == other.updates;
    };
    return a.branch == b.branch && a.status == b.status && a.error == b.error &&
           std::equal(a.changes.begin(), a.changes.end(), b.changes.begin(), b.changes.end(), is_same_entry);
}

}  // namespace weft
