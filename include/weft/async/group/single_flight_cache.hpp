#pragma once

#include <weft/async/group/single_flight_limits.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/clock.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace weft {

// Its functions and its store are in `single_flight_cache_operations.hpp`, for the one source of each type of values
// that instantiates it: `template class weft::single_flight_cache<my_value>;`.
/** Values by key, the least recently used one dropped first. Copies share one store.
 *
 *  Equal calls that come while one is under way wait for it and share what becomes of it. A call in full:
 *
 *      auto found = cache.look_up(key, news, loop.now());
 *      while (found.now_is() == state::waits) {
 *          co_await news->wait();                 // the equal call has ended, or its leader is gone
 *          found.look(loop.now());
 *      }
 *      if (found.now_is() == state::leads) {
 *          answer = co_await ask();               // an exception destroys `found`: another one takes the lead
 *          found.succeed(answer, {.bytes = size_of(*answer), .ends = loop.now() + 10min});
 *      }
 *
 *  It starts no timers and calls nothing: a coroutine that waits sleeps on its own signal, and a value that has ended
 *  is dropped by the lookup that finds it, or by those that need its room.
 *
 *  @par Thread safety   From any OS thread, all on one clock.
 */
template <class Value>
class single_flight_cache {
    struct store;
    struct flight;

public:
    class lookup;
    using value_pointer = std::shared_ptr<const Value>;
    /** How long a value is kept, and how large it counts. */
    struct keeping {
        /** What it takes of `single_flight_limits::bytes_max`. One that takes more than all of it is not kept. */
        std::size_t bytes = 0;
        /** From this moment on it counts as absent. Without one it stays until its room is needed. */
        time_point ends = time_point::max();
    };

    /** What a lookup does with a value that is kept. */
    enum class cached_value { taken, passed_over };

    /** An empty cache. Copies of it share the store that is made here. */
    explicit single_flight_cache(single_flight_limits limits = {});

    /** Looks for a value; without one, takes the lead of the calls for it or joins those who wait.
     *  @param news   Notified when the wait of a joined lookup is over; then look again with `lookup::look`.
     *  @param kept   Passed over: as if there was none, so that a new one is made. */
    [[nodiscard]] lookup look_up(std::string key, intrusive_ptr<remote_signal> news, time_point now,
                                 cached_value kept = cached_value::taken) const;

    /** What it did since it was made, and what it holds now. */
    [[nodiscard]] single_flight_counts counts() const;

private:
    std::shared_ptr<store> store_;
};

/** One call's dealings with a cache. A leader that is destroyed without a word leaves the lead to one who waits. */
template <class Value>
class single_flight_cache<Value>::lookup {
public:
    enum class state {
        found,    ///< `value` is the answer.
        failed,   ///< The call that was waited for failed with `error`.
        leads,    ///< This one makes the call, then `succeed` or `fail`.
        waits,    ///< An equal call is under way: wait for `news`, then `look`.
    };

    // Moved as a whole: what was moved from leads no call any more, and its destructor says nothing.
    lookup(lookup&& other) noexcept
        : store_{std::move(other.store_)}, key_{std::move(other.key_)}, news_{std::move(other.news_)},
          kept_{other.kept_}, flight_{std::move(other.flight_)}, state_{std::exchange(other.state_, state::waits)},
          was_shared_{other.was_shared_}, value_{std::move(other.value_)}, error_{std::move(other.error_)}
    {
    }
    lookup& operator=(lookup&&) = delete;
    ~lookup() { leave(); }

    /** What to do next: use the value, throw the error, make the call, or wait. */
    [[nodiscard]] state now_is() const noexcept { return state_; }
    /** Whether the value or the error is that of an equal call that was under way. */
    [[nodiscard]] bool was_shared() const noexcept { return was_shared_; }
    /** The answer; null unless `found`. */
    [[nodiscard]] const value_pointer& value() const noexcept { return value_; }
    /** Why the call failed that was waited for; null unless `failed`. */
    [[nodiscard]] const std::exception_ptr& error() const noexcept { return error_; }

    /** Looks again after a wait. A notification can come for nothing: then it still waits.
     *  @param now   On the clock of `keeping::ends`. */
    void look(time_point now);
    /** The call of the leader ended; who waits gets the same. */
    void succeed(value_pointer answer);
    /** The same, and the value is kept. */
    void succeed(value_pointer answer, keeping how);
    /** The call of the leader failed; who waits gets the same error. Errors are not kept: the next call is made. */
    void fail(const std::exception_ptr& cause);
    /** The leader has nothing to share: one who waits takes the lead. */
    void leave();

private:
    friend class single_flight_cache;
    lookup(std::shared_ptr<store> owner, std::string key, intrusive_ptr<remote_signal> news, cached_value kept)
        : store_{std::move(owner)}, key_{std::move(key)}, news_{std::move(news)}, kept_{kept}
    {
    }

    /** Hands the answer to all that wait. Under the lock. */
    void end_with(value_pointer answer);
    /** @return  False if the call is still under way. */
    bool take_what_came();

    std::shared_ptr<store> store_;  // null once it was moved from
    std::string key_;
    intrusive_ptr<remote_signal> news_;
    cached_value kept_;
    std::shared_ptr<flight> flight_;  // the call that it leads or waits for
    state state_ = state::waits;
    bool was_shared_ = false;
    value_pointer value_;
    std::exception_ptr error_;
};

}  // namespace weft
