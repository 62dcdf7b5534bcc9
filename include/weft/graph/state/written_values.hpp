#pragma once

#include <weft/graph/state/state.hpp>
#include <weft/graph/state/write_set.hpp>

#include <boost/json/object.hpp>

#include <utility>

namespace weft {

/** What a node has written, and the state behind it, for those that watch a run.
 *
 *      request.on_event([](const weft::run_event& event) {
 *          if (event.written) std::cout << event.node << ": " << event.written->writes() << '\n';
 *      });
 *
 *  It shares the values; JSON is made when it is asked for.
 *
 *  @par Thread safety   Immutable: from any OS thread.
 */
class written_values {
public:
    written_values(write_set writes, weft::state after, bool is_in_branch)
        : writes_{std::move(writes)}, state_{std::move(after)}, is_in_branch_{is_in_branch}
    {
    }

    /** What was written, by key, as the node gave it to the reducers: of a list the new items, of another
     *  key what it got last. Transient keys are left out.
     *  @par Errors  `state_conversion` names the key. */
    [[nodiscard]] boost::json::object writes() const;
    /** The same as they are, in their order. */
    [[nodiscard]] const write_set& items() const noexcept { return writes_; }
    /** All values behind the write, as the branch sees them. */
    [[nodiscard]] const weft::state& state() const noexcept { return state_; }
    /** True in a branch of a fan-out: other branches do not see it before the join. */
    [[nodiscard]] bool is_in_branch() const noexcept { return is_in_branch_; }

private:
    write_set writes_;
    weft::state state_;
    bool is_in_branch_;
};

}  // namespace weft
