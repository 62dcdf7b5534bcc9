#pragma once

#include <weft/async/group/single_flight_cache.hpp>

#include <cstdint>
#include <list>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace weft {

// What a `single_flight_cache` does, for the one source of each type of values that instantiates it:
//
//     #include <weft/async/group/single_flight_cache_operations.hpp>
//     template class weft::single_flight_cache<my_value>;
//
// One mutex guards everything of a cache. What is under it is short: a lookup, a list splice, notifications, which only
// queue work. Values are shared pointers, so that one can be used after it was dropped.

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

template <class Value>
single_flight_cache<Value>::single_flight_cache(single_flight_limits limits) : store_{std::make_shared<store>()}
{
    store_->limits = limits;
}

template <class Value>
auto single_flight_cache<Value>::look_up(std::string key, intrusive_ptr<remote_signal> news, time_point now,
                                         cached_value kept) const -> lookup
{
    lookup made{store_, std::move(key), std::move(news), kept};
    made.look(now);
    return made;
}

template <class Value>
single_flight_counts single_flight_cache<Value>::counts() const
{
    const std::lock_guard guard{store_->lock};
    single_flight_counts result = store_->counts;
    result.entries = store_->by_use.size();
    return result;
}

template <class Value>
void single_flight_cache<Value>::lookup::look(time_point now)
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

template <class Value>
void single_flight_cache<Value>::lookup::succeed(value_pointer answer)
{
    const std::lock_guard guard{store_->lock};
    end_with(std::move(answer));
}

template <class Value>
void single_flight_cache<Value>::lookup::succeed(value_pointer answer, keeping how)
{
    const std::lock_guard guard{store_->lock};
    store_->keep(key_, answer, how);
    end_with(std::move(answer));
}

template <class Value>
void single_flight_cache<Value>::lookup::fail(const std::exception_ptr& cause)
{
    const std::lock_guard guard{store_->lock};
    flight_->error = cause;
    store_->end(key_, *flight_);
    state_ = state::waits;
}

// What was moved from leads no call and has no store.
template <class Value>
void single_flight_cache<Value>::lookup::leave()
{
    if (state_ != state::leads || !store_) return;
    const std::lock_guard guard{store_->lock};
    store_->end(key_, *flight_);
    state_ = state::waits;
}

template <class Value>
void single_flight_cache<Value>::lookup::end_with(value_pointer answer)
{
    flight_->value = std::move(answer);
    store_->end(key_, *flight_);
    state_ = state::waits;
}

// With neither a value nor an error its leader is gone: then this one looks again, and may take the lead.
template <class Value>
bool single_flight_cache<Value>::lookup::take_what_came()
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

}  // namespace weft
