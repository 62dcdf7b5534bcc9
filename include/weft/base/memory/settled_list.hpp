#pragma once

#include <weft/base/list.hpp>
#include <weft/base/memory/pooled_vector.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace weft {

/** A list that only grows and is copied again and again. Appending costs what a vector costs; after `settle` a copy
 *  costs the same however long the list is, and `extends` tells what a copy does not have yet.
 *
 *  @par Thread safety   As a value.
 */
template <class T>
class settled_list {
public:
    using items = pooled_vector<T>;

    /** For items that come before the next `settle`. */
    void reserve(std::size_t size) { recent_.reserve(size); }
    void push_back(T item) { recent_.push_back(std::move(item)); }
    /** Appends an item as its type makes it by itself. */
    T& emplace_back() { return recent_.emplace_back(); }

    /** Makes everything so far shareable; before copies that are made again and again. */
    void settle()
    {
        for (T& item : recent_) settled_.push_back(std::move(item));
        recent_.clear();
    }

    [[nodiscard]] std::size_t size() const noexcept { return settled_.size() + recent_.size(); }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    /** The item at `index`, which is less than `size()`. */
    [[nodiscard]] const T& operator[](std::size_t index) const noexcept
    {
        return index < settled_.size() ? settled_[index] : recent_[index - settled_.size()];
    }

    /** Calls the function with each item, in order: quicker than by index, which has to find the chunk of each. */
    template <class Function>
    void for_each(Function function) const
    {
        for (const T& item : settled_) function(item);
        for (const T& item : recent_) function(item);
    }
    /** The same from the item at `first` on. */
    template <class Function>
    void for_each_from(std::size_t first, Function function) const
    {
        for (auto it = settled_.begin() + static_cast<std::ptrdiff_t>(std::min(first, settled_.size()));
             it != settled_.end(); ++it)
            function(*it);
        const std::size_t skipped = first - std::min(first, settled_.size());
        for (std::size_t i = skipped; i < recent_.size(); ++i) function(recent_[i]);
    }

    /** All items, in order; none are left. Those that are settled are copied. */
    [[nodiscard]] items take()
    {
        items all;
        // Nothing is shared: the items move as they are.
        if (settled_.empty()) {
            all.swap(recent_);
            return all;
        }
        all.reserve(size());
        for (const T& item : settled_) all.push_back(item);
        for (T& item : recent_) all.push_back(std::move(item));
        settled_ = {};
        recent_.clear();
        return all;
    }

    /** Whether this is a copy of `older` with items appended, as far as that can be told without looking at those that
     *  were settled: of a list of another origin it is not. */
    [[nodiscard]] bool extends(const settled_list& older) const
    {
        if (size() < older.size() || !settled_.extends(older.settled_)) return false;
        std::size_t at = older.settled_.size();
        for (const T& item : older.recent_)
            if (!((*this)[at++] == item)) return false;
        return true;
    }

private:
    list<T> settled_;  // shared with copies
    items recent_;     // behind them, copied one by one until they are settled
};

}  // namespace weft
