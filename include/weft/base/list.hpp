#pragma once

#include <weft/base/memory/free_list.hpp>
#include <weft/base/memory/list_chunk.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>

namespace weft {

/** A list that only grows and whose copies share their items: made for conversations.
 *
 *  A value: what one copy appends, no other copy sees. Copying costs one pointer and one count,
 *  whatever the size. Appending constructs the item behind the last one when no other copy has done
 *  so, and otherwise opens a new chunk there; old items are neither copied nor moved, so references
 *  and iterators to them stay valid as long as any copy that has them. Items cannot be changed.
 *  `operator[]` and a step of an iterator from one chunk to the next take O(log chunks); chunks
 *  hold 2 to 8 items at first, about 256 bytes, and half as many again each time, up to 1024.
 *
 *  An item that a dropped copy had appended lives until its chunk is dropped or reused.
 *
 *  @par Thread safety   One list: as a value. Copies: independent, although they share items.
 */
template <class T>
class list {
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__,
                  "items are not aligned more than this");

    using chunk = list_detail::chunk;

public:
    class const_iterator;
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = const T&;
    using const_reference = const T&;
    using iterator = const_iterator;

    list() noexcept = default;
    list(std::initializer_list<T> items) : list{items.begin(), items.end()} {}

    template <std::input_iterator Iterator, std::sentinel_for<Iterator> Sentinel>
    list(Iterator first, Sentinel last)
    {
        extend(std::move(first), std::move(last));
    }

    /** Shares the items: one pointer and one count, whatever the size. */
    list(const list& other) noexcept : list{other.tail_, other.front_, other.size_}
    {
        list_detail::add_owner(tail_);
        list_detail::add_owner(front_);
    }
    /** Leaves `other` empty. */
    list(list&& other) noexcept
        : list{std::exchange(other.tail_, nullptr), std::exchange(other.front_, nullptr),
               std::exchange(other.size_, 0)}
    {
    }
    list& operator=(list other) noexcept
    {
        std::swap(tail_, other.tail_);
        std::swap(front_, other.front_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~list()
    {
        if (tail_) drop(tail_);
        if (front_) drop(front_);
    }

    /** The items of `head`, and behind them those of `rest`.
     *
     *      chat_request request{list<message>::joined(said_by_system, conversation)};
     *
     *  If `head` is one item and `rest` was not joined before, both are shared, whatever their sizes; else those of
     *  `rest` are copied. What is appended to it `rest` does not see. */
    [[nodiscard]] static list joined(const list& head, const list& rest)
    {
        if (head.size_ == 1 && rest.size_ > 0 && rest.front_ == nullptr) {
            list_detail::add_owner(head.tail_);
            list_detail::add_owner(rest.tail_);
            return list{rest.tail_, head.tail_, rest.size_ + 1};
        }
        list both = head;
        both.append(rest);
        return both;
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

    /** The item at `index`, which is less than `size()`. */
    [[nodiscard]] const T& operator[](std::size_t index) const noexcept
    {
        BOOST_ASSERT(index < size_);
        if (front_ != nullptr && index == 0) return *items_of(*front_);
        const std::size_t place = index - in_front();
        const chunk& holder = *list_detail::find(tail_, size_, place).holder;
        return items_of(holder)[place - holder.before];
    }
    /** Of a list that is not empty. */
    [[nodiscard]] const T& front() const noexcept { return (*this)[0]; }
    [[nodiscard]] const T& back() const noexcept { return (*this)[size_ - 1]; }

    /** The first `count` items, at most `size()`: shares them, as a copy does, in O(log chunks). */
    [[nodiscard]] list first(std::size_t count) const noexcept
    {
        BOOST_ASSERT(count <= size_);
        if (count == 0) return {};
        const bool is_front = front_ != nullptr && count == 1;
        const std::size_t last = count - 1 - in_front();
        const chunk* const tail = is_front ? front_ : list_detail::find(tail_, size_, last).holder;
        list result{const_cast<chunk*>(tail), is_front ? nullptr : front_, count};
        list_detail::add_owner(result.tail_);
        list_detail::add_owner(result.front_);
        return result;
    }

    /** Iterators outlive the list as long as a copy of it, or a list that extends it, is there. */
    [[nodiscard]] const_iterator begin() const noexcept { return const_iterator{*this, 0}; }
    [[nodiscard]] const_iterator end() const noexcept { return const_iterator{*this, size_}; }

    void push_back(const T& item) { emplace_back(item); }
    void push_back(T&& item) { emplace_back(std::move(item)); }

    /** Appends an item made of `args`; when its constructor throws, the list is as before. */
    template <class... Args>
    const T& emplace_back(Args&&... args)
    {
        return claim_slot() ? construct_claimed(std::forward<Args>(args)...)
                            : construct_in_new_chunk(1, std::forward<Args>(args)...);
    }

    /** Appends the items of another list, or of itself; when copying one throws, the list is as
     *  before. */
    void append(const list& other)
    {
        if (empty()) {
            *this = other;
        } else {
            extend(other.begin(), other.end());
        }
    }

    /** Whether this list is `older` with items appended to a copy of it. Asks who shares with whom,
     *  in O(log chunks), and compares no items: equal items of another origin do not count. */
    [[nodiscard]] bool extends(const list& older) const noexcept
    {
        if (older.empty()) return true;
        if (older.size_ > size_) return false;
        // Without what this list has in front, the older one can only be that item itself.
        if (older.front_ != front_) return older.size_ == 1 && older.tail_ == front_;
        const std::size_t last = older.size_ - 1 - in_front();
        return list_detail::find(tail_, size_, last).holder == older.tail_;
    }

    /** By the items; lists that share all of them are equal without a look at them. */
    friend bool operator==(const list& a, const list& b)
    {
        if (a.size_ != b.size_) return false;
        const bool is_shared = a.tail_ == b.tail_ && a.front_ == b.front_;
        return is_shared || std::equal(a.begin(), a.end(), b.begin());
    }

private:
    list(chunk* tail, chunk* front, std::size_t size) noexcept : tail_{tail}, front_{front}, size_{size} {}

    // Chunks count their items from the first one of the tail: what stands in front of it is none of theirs.
    std::size_t in_front() const noexcept { return front_ != nullptr ? 1 : 0; }

    // The items stand behind the head of their chunk, in one block.
    static constexpr std::size_t items_offset =
        (sizeof(chunk) + alignof(T) - 1) / alignof(T) * alignof(T);
    static constexpr std::size_t bytes_of(std::size_t capacity)
    {
        return items_offset + capacity * sizeof(T);
    }

    // Also of a chunk that is seen as const: items are written only into slots that this list has claimed.
    static T* items_of(const chunk& c) noexcept
    {
        auto* bytes = reinterpret_cast<std::byte*>(const_cast<chunk*>(&c));
        return reinterpret_cast<T*>(bytes + items_offset);
    }

    // A loop, since a long list is a long chain of chunks.
    static void drop(chunk* c) noexcept
    {
        while (c != nullptr && list_detail::remove_owner(*c)) {
            chunk* const previous = c->previous;
            std::destroy_n(items_of(*c), c->used.load(std::memory_order_relaxed));
            free_chunk(c);
            c = previous;
        }
    }

    static void free_chunk(chunk* c) noexcept
    {
        const std::size_t bytes = bytes_of(c->capacity);
        std::destroy_at(c);
        free_block(c, bytes);
    }

    // Takes the slot behind the last item, if the chunk has one that no other copy has taken before.
    bool claim_slot() noexcept
    {
        if (tail_ == nullptr) return false;
        const std::size_t length = size_ - in_front() - tail_->before;
        if (tail_->used.load(std::memory_order_relaxed) > length &&
            list_detail::has_one_owner(*tail_)) {
            // No copy is left that could see what dropped copies appended here.
            const std::size_t unseen = tail_->used.load(std::memory_order_relaxed) - length;
            std::destroy_n(items_of(*tail_) + length, unseen);
            tail_->used.store(static_cast<std::uint32_t>(length), std::memory_order_relaxed);
        }
        return list_detail::claim(*tail_, length);
    }

    // Into the slot that was claimed; the guard gives it back if the constructor throws.
    template <class... Args>
    const T& construct_claimed(Args&&... args)
    {
        T* const slot = items_of(*tail_) + (size_ - in_front() - tail_->before);
        list_detail::claim_guard guard{*tail_};
        std::construct_at(slot, std::forward<Args>(args)...);
        guard.keep();
        ++size_;
        return *slot;
    }

    // Chunks grow by half, so that a list of n items has O(log n) of them; `expected` items fit without another one.
    template <class... Args>
    const T& construct_in_new_chunk(std::size_t expected, Args&&... args)
    {
        const std::size_t size = size_ - in_front();
        const std::size_t capacity = list_detail::next_capacity(tail_, size, expected, sizeof(T));
        void* const block = allocate_block(bytes_of(capacity));
        chunk* const fresh = list_detail::make_chunk(block, capacity, tail_, size);
        T* const slot = items_of(*fresh);
        try {
            std::construct_at(slot, std::forward<Args>(args)...);
        } catch (...) {
            free_chunk(fresh);
            throw;
        }
        tail_ = fresh;   // The owner that was this list is now the new chunk.
        ++size_;
        return *slot;
    }

    template <class Iterator, class Sentinel>
    void extend(Iterator first, Sentinel last)
    {
        std::size_t expected = 1;
        if constexpr (std::sized_sentinel_for<Sentinel, Iterator>)
            expected = static_cast<std::size_t>(last - first);
        // Into a copy, which takes the place of this list at the end: an exception in the middle changes nothing.
        list longer = *this;
        for (; first != last; ++first) {
            if (longer.claim_slot()) {
                longer.construct_claimed(*first);
            } else {
                longer.construct_in_new_chunk(expected - std::min(expected, longer.size_ - size_),
                                              *first);
            }
        }
        *this = std::move(longer);
    }

    chunk* tail_ = nullptr;
    chunk* front_ = nullptr;  // of one item that stands before those of the tail; null if there is none
    std::size_t size_ = 0;    // with that item
};

/** Random access; valid as long as there is a list that extends the one it came from. */
template <class T>
class list<T>::const_iterator {
public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;

    const_iterator() noexcept = default;

    reference operator*() const noexcept { return *item_; }
    pointer operator->() const noexcept { return item_; }
    reference operator[](difference_type steps) const noexcept { return *(*this + steps); }

    const_iterator& operator++() noexcept
    {
        ++index_;
        // Within a chunk a step is one increment; only at its end the next one is looked for.
        if (++item_ == chunk_end_) locate();
        return *this;
    }
    const_iterator& operator--() noexcept { return *this -= 1; }
    const_iterator operator++(int) noexcept { return std::exchange(*this, *this + 1); }
    const_iterator operator--(int) noexcept { return std::exchange(*this, *this - 1); }

    const_iterator& operator+=(difference_type steps) noexcept
    {
        index_ += static_cast<std::size_t>(steps);
        locate();
        return *this;
    }
    const_iterator& operator-=(difference_type steps) noexcept { return *this += -steps; }

    friend const_iterator operator+(const_iterator it, difference_type steps) noexcept
    {
        return it += steps;
    }
    friend const_iterator operator+(difference_type steps, const_iterator it) noexcept
    {
        return it += steps;
    }
    friend const_iterator operator-(const_iterator it, difference_type steps) noexcept
    {
        return it -= steps;
    }
    friend difference_type operator-(const const_iterator& a, const const_iterator& b) noexcept
    {
        return static_cast<difference_type>(a.index_) - static_cast<difference_type>(b.index_);
    }
    friend bool operator==(const const_iterator& a, const const_iterator& b) noexcept
    {
        return a.index_ == b.index_;
    }
    friend auto operator<=>(const const_iterator& a, const const_iterator& b) noexcept
    {
        return a.index_ <=> b.index_;
    }

private:
    friend class list;

    const_iterator(const list& of, std::size_t index) noexcept
        : tail_{of.tail_}, front_{of.front_}, size_{of.size_}, index_{index}
    {
        locate();
    }

    // Finds the chunk of the index; at the end of the list there is none, and no item.
    void locate() noexcept
    {
        item_ = chunk_end_ = nullptr;
        if (index_ >= size_) return;
        const std::size_t in_front = front_ != nullptr ? 1 : 0;
        if (index_ < in_front) {
            item_ = items_of(*front_);
            chunk_end_ = item_ + 1;
            return;
        }
        const list_detail::position at = list_detail::find(tail_, size_ - in_front, index_ - in_front);
        const T* const items = items_of(*at.holder);
        item_ = items + (index_ - in_front - at.holder->before);
        chunk_end_ = items + (at.end - at.holder->before);
    }

    const chunk* tail_ = nullptr;     // of the list that it is from, where a search for a chunk begins
    const chunk* front_ = nullptr;    // of that list, too
    std::size_t size_ = 0;            // of that list: chunks may have items that other copies have appended
    std::size_t index_ = 0;
    const T* item_ = nullptr;         // null at the end
    const T* chunk_end_ = nullptr;    // of the items of this chunk that belong to the list
};

}  // namespace weft
