#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/store/record/stored_thread.hpp>
#include <weft/store/role/document_store.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace weft {

/** What becomes of a thread at the end of its time. */
enum class thread_end : std::uint8_t {
    erase,        ///< It goes, with all that it has.
    keep_newest,  ///< It stays, with its newest checkpoint.
};

/** How long a thread stays. */
struct thread_lifetime {
    thread_key thread;
    wall_time created;                   ///< Of the thread: one of the same id that came later is another one.
    std::chrono::milliseconds lifetime;  ///< As it was set.
    thread_end at_end = thread_end::erase;
    wall_time ends;
};

/** Keeps in a `document_store` when threads end that are not to stay for ever.
 *
 *      co_await lifetimes.set(found, 24h, weft::thread_end::erase);
 *
 *  It removes no thread itself: servers do, once a minute.
 *
 *  @par Errors          As `document_store`.
 *  @par Thread safety   As `document_store`.
 *  @par Lifetimes       The store outlives it.
 */
class thread_lifetime_table {
public:
    explicit thread_lifetime_table(document_store& documents) noexcept : documents_{documents} {}

    /** Says how long a thread stays, from now; what was said before counts no more.
     *  @param of   As the store has it. */
    [[nodiscard]] task<void> set(stored_thread of, std::chrono::milliseconds lifetime, thread_end at_end);
    /** How long a thread stays; nothing: for ever. */
    [[nodiscard]] task<std::optional<thread_lifetime>> find(stored_thread of);
    /** Takes threads whose time has come; no other call takes them for a minute.
     *  @return   At most `count_max`. */
    [[nodiscard]] task<std::vector<thread_lifetime>> take_due(std::size_t count_max);
    /** Forgets what was said of a thread, after its end. Something said since then stays. */
    [[nodiscard]] task<void> clear(thread_lifetime ended);

private:
    document_store& documents_;
};

}  // namespace weft
