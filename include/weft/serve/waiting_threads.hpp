#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft {

/** A thread that waits where the newer graph has no place for it. */
struct stuck_thread {
    std::string tenant;
    std::string thread;
    std::string reason;  ///< The differences that matter to it, such as `node 'ask': …`.
};

/** What the threads that wait for answers can do after their graph was replaced by one of another shape, or removed. */
struct waiting_threads {
    std::string graph;
    bool is_removed = false;    ///< The server has no graph of this name any more.
    std::size_t go_on = 0;      ///< Go on with the new graph.
    std::size_t stuck = 0;      ///< Cannot: they go on with the old one while this process lives, then with none.
    bool has_more = false;      ///< More threads wait than were looked at.
    std::vector<stuck_thread> examples = {};  ///< Some of those that cannot; at most twenty.

    /** On one line, for people. */
    [[nodiscard]] std::string text() const;
};

}  // namespace weft
