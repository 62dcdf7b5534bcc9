#pragma once

#include <weft/base/memory/intrusive_ptr.hpp>
#include <weft/graph/node/failure.hpp>

namespace weft {

/** How the branches of a fan-out ended, for the node at their join. Most joins do not ask, so the engine makes the list
 *  when it is asked for.
 *
 *  @par Thread safety   From any OS thread: copies of a run share it.
 */
class joined_branches : public ref_counted<joined_branches> {
public:
    virtual ~joined_branches() = default;

    /** In the order of the edges, or of the items that were sent. It lives as long as this object. */
    [[nodiscard]] virtual const branch_results& results() const = 0;

protected:
    joined_branches() = default;
};

}  // namespace weft
