#pragma once

#include <weft/async/task.hpp>
#include <weft/store/record/retention.hpp>
#include <weft/store/record/thread_key.hpp>
#include <weft/store/record/thread_summary.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace weft {

/** Lists, measures, shortens and drops threads.
 *
 *  Errors, cancellation, thread safety and lifetimes are those of `checkpoint_store`.
 */
class store_housekeeping {
public:
    virtual ~store_housekeeping() = default;

    [[nodiscard]] virtual task<prune_report> prune(thread_key thread, retention what) = 0;
    /** Forgets a thread, whatever its runs do: from that moment their writes are fenced, and stay so.
     *  @return False if there was none. */
    [[nodiscard]] virtual task<bool> drop(thread_key thread) = 0;
    [[nodiscard]] virtual task<thread_usage> usage(thread_key thread) = 0;
    /** Threads of a tenant by name, after `after`. */
    [[nodiscard]] virtual task<std::vector<thread_summary>> threads(std::string tenant, std::string after,
                                                                    std::size_t max) = 0;
};

}  // namespace weft
