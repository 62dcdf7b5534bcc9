#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/store/record/run_record.hpp>
#include <weft/store/thread/thread_lock.hpp>

#include <boost/json/value.hpp>

#include <optional>

namespace weft {

/** Remembers the state of threads for a while: gone when it was not saved for its lifetime, an hour by default.
 *
 *  What conversations need between two messages, not what runs must not forget: for that there is `checkpoint_store`.
 *  What is saved is a copy, and so is what is loaded.
 *
 *  @par Errors          `errc::store_unavailable`, `store_outcome_unknown`, `store_full`, `store_refused` and
 *                       `store_corrupt`, as `checkpoint_store` has them; `errc::limit_reached` for a name or state that
 *                       is too long (`store_limits`), or too many threads.
 *  @par Cancellation    At once. What was on its way takes place or not.
 *  @par Thread safety   From any OS thread that has a loop.
 *  @par Lifetimes       It outlives the tasks it gives out.
 */
class thread_state_store {
public:
    virtual ~thread_state_store() = default;

    /** Saves a thread's state for `lifetime`, in place of the one before.
     *
     *  @param by   The holder of the thread's lock; or the mere key, for a writer without one.
     *  @return     `ok`, or `fenced`, and nothing is saved: the hold ran out, or the lock has another holder. */
    [[nodiscard]] virtual task<write_state> save(thread_hold by, boost::json::value state) = 0;
    /** The state; nothing if there is none or its time is up. */
    [[nodiscard]] virtual task<std::optional<boost::json::value>> load(thread_key thread) = 0;
    /** Forgets a thread's state, if there is one. @return As `save`. */
    [[nodiscard]] virtual task<write_state> erase(thread_hold by) = 0;

    [[nodiscard]] virtual std::chrono::milliseconds lifetime() const noexcept = 0;
};

/** How long states are kept unless the caller says otherwise. */
inline constexpr std::chrono::milliseconds thread_state_lifetime = std::chrono::seconds{3600};

}  // namespace weft
