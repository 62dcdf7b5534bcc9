#pragma once

#include <weft/async/group/single_flight_limits.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/clock.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weft {

// One mutex guards everything of a cache. What is under it is short: a lookup, a list splice, notifications, which only
// queue work. Values are shared pointers, so that one can be used after it was dropped.
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
    explicit single_flight_cache(single_flight_limits limits = {}) : store_{std::make_shared<store>()}
    {
        store_->limits = limits;
    }

    /** Looks for a value; without one, takes the lead of the calls for it or joins those who wait.
     *  @param news   Notified when the wait of a joined lookup is over; then look again with `lookup::look`.
     *  @param kept   Passed over: as if there was none, so that a new one is made. */
    [[nodiscard]] lookup look_up(std::string key, intrusive_ptr<remote_signal> news, time_point now,
                                 cached_value kept = cached_value::taken) const
    {
        lookup made{store_, std::move(key), std::move(news), kept};
        made.look(now);
        return made;
    }

    /** What it did since it was made, and what it holds now. */
    [[nodiscard]] single_flight_counts counts() const
    {
        const std::lock_guard guard{store_->lock};
        single_flight_counts result = store_->counts;
        result.entries = store_->by_use.size();
        return result;
    }

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
    void look(time_point now)
    {
        const std::lock_guard guard{store_->lock};
        if (flight_ && !take_what_came()) return;
        if (state_ == state::found || state_ == state::failed) return;
        if (kept_ == cached_value::taken) value_ = store_->find(key_, now);
        if (value_) {
            state_ = state::found;
            ++store_->counts.hits;
            return;
        }
        // Between the end of a leader and this look another call may have taken the lead: then it waits for that one.
        auto& under_way = store_->flights[key_];
        if (!under_way) {
            under_way = std::make_shared<flight>();
            state_ = state::leads;
            ++store_->counts.misses;
        } else {
            under_way->waiting.push_back(news_);
            state_ = state::waits;
        }
        flight_ = under_way;
    }
    /** The call of the leader ended; who waits gets the same. */
    void succeed(value_pointer answer)
    {
        const std::lock_guard guard{store_->lock};
        end_with(std::move(answer));
    }
    /** The same, and the value is kept. */
    void succeed(value_pointer answer, keeping how)
    {
        const std::lock_guard guard{store_->lock};
        store_->keep(key_, answer, how);
        end_with(std::move(answer));
    }
    /** The call of the leader failed; who waits gets the same error. Errors are not kept: the next call is made. */
    void fail(const std::exception_ptr& cause)
    {
        const std::lock_guard guard{store_->lock};
        flight_->error = cause;
        store_->end(key_, *flight_);
        state_ = state::waits;
    }
    /** The leader has nothing to share: one who waits takes the lead. */
    void leave()
    {
        if (state_ != state::leads || !store_) return;
        const std::lock_guard guard{store_->lock};
        store_->end(key_, *flight_);
        state_ = state::waits;
    }

private:
    friend class single_flight_cache;
    lookup(std::shared_ptr<store> owner, std::string key, intrusive_ptr<remote_signal> news, cached_value kept)
        : store_{std::move(owner)}, key_{std::move(key)}, news_{std::move(news)}, kept_{kept}
    {
    }

    /** Hands the answer to all that wait. Under the lock. */
    void end_with(value_pointer answer)
    {
        flight_->value = std::move(answer);
        store_->end(key_, *flight_);
        state_ = state::waits;
    }
    /** @return  False if the call is still under way. */
    bool take_what_came()
    {
        if (!flight_->is_over) return false;
        const std::shared_ptr<flight> over = std::move(flight_);
        value_ = over->value;
        error_ = over->error;
        if (!value_ && !error_) return true;  // its leader is gone
        state_ = value_ ? state::found : state::failed;
        was_shared_ = true;
        ++store_->counts.shared;
        return true;
    }

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

/** A call that is under way, and who waits for it. Under the store's lock. */
template <class Value>
struct single_flight_cache<Value>::flight {
    std::vector<intrusive_ptr<remote_signal>> waiting;
    bool is_over = false;  // set before those that wait are notified
    value_pointer value;  // with neither: its leader is gone
    std::exception_ptr error;
};

/** What all copies of a cache share. Each call of it is under the lock, which the caller holds. */
template <class Value>
struct single_flight_cache<Value>::store {
    struct entry {
        std::string key;
        value_pointer value;
        keeping how;
    };
    using entries = std::list<entry>;

    /** A value that has not ended yet, which becomes the most recently used one; else null. */
    [[nodiscard]] value_pointer find(const std::string& key, time_point now)
    {
        const auto found = by_key.find(key);
        if (found == by_key.end()) return nullptr;
        const auto known = found->second;
        if (known->how.ends <= now) return drop(known), nullptr;
        by_use.splice(by_use.begin(), by_use, known);
        return known->value;
    }
    /** Stores a value, for which those used least recently are dropped; one that never fits is not stored. */
    void keep(const std::string& key, value_pointer value, keeping how)
    {
        if (how.bytes > limits.bytes_max || limits.entries_max == 0) return;
        if (const auto old = by_key.find(key); old != by_key.end()) drop(old->second);
        while (counts.bytes + how.bytes > limits.bytes_max || by_use.size() >= limits.entries_max) {
            drop(std::prev(by_use.end()));
            ++counts.dropped;
        }
        by_use.push_front({key, std::move(value), how});
        by_key.emplace(by_use.front().key, by_use.begin());
        counts.bytes += how.bytes;
    }
    // The key stands in the entry: the index goes first.
    void drop(typename entries::iterator old)
    {
        counts.bytes -= old->how.bytes;
        by_key.erase(old->key);
        by_use.erase(old);
    }
    /** A call is over, with or without an answer. The next lookup of the key begins a new one; those that wait keep
     *  this one alive until they have looked. */
    void end(const std::string& key, flight& over)
    {
        over.is_over = true;
        for (const auto& waiting : over.waiting) waiting->notify();
        over.waiting.clear();
        flights.erase(key);
    }

    single_flight_limits limits;
    std::mutex lock;
    entries by_use;  // the most recently used first
    std::unordered_map<std::string_view, typename entries::iterator> by_key;  // the keys stand in the entries
    std::unordered_map<std::string, std::shared_ptr<flight>> flights;
    single_flight_counts counts;
};

}  // namespace weft
