#pragma once

#include <weft/base/memory/free_list.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

namespace weft {

namespace memory_detail {

/** The memory of a `pooled_vector`: how many items there are and fit, and behind it room for them. */
template <class T>
struct pooled_block {
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__, "blocks are not aligned more than this");

    std::uint32_t size;
    std::uint32_t capacity;

    static constexpr std::size_t items_at = std::max(2 * sizeof(std::uint32_t), alignof(T));

    /** Without items. @par Errors  `std::length_error` beyond 2^32 - 1; `std::bad_alloc`. */
    [[nodiscard]] static pooled_block* make(std::size_t count)
    {
        if (count > UINT32_MAX || count > (PTRDIFF_MAX - items_at) / sizeof(T))
            throw std::length_error{"a pooled_vector has room for 2^32 - 1 items"};
        return ::new (allocate_block(items_at + count * sizeof(T))) pooled_block{0, static_cast<std::uint32_t>(count)};
    }
    /** Destroys the items, too. */
    static void drop(pooled_block* block) noexcept
    {
        std::destroy_n(block->items(), block->size);
        free_block(block, items_at + block->capacity * sizeof(T));
    }
    /** Where the first item stands, if there is one. */
    [[nodiscard]] T* items() noexcept
    {
        return std::launder(reinterpret_cast<T*>(reinterpret_cast<std::byte*>(this) + items_at));
    }
    /** Takes the items out of another block, which may be null. This one has none, and room for them. */
    void take_items_of(pooled_block* other) noexcept
    {
        if (!other) return;
        std::uninitialized_move_n(other->items(), other->size, items());
        size = other->size;
    }
};

}  // namespace memory_detail

/** A vector for what there are millions of: it is one pointer, null while it is empty, and its memory comes from the
 *  free lists. How many items there are and fit stands before the first one, so that a run with ten such vectors takes
 *  a third of what `std::vector` takes for them.
 *
 *  The functions are those of `std::vector`, with the same complexity, and the same iterators and references stay
 *  valid. Items move without exceptions; at most 2^32 - 1 of them fit.
 *
 *  @par Thread safety   As a value.
 */
template <class T>
class pooled_vector {
    using block = memory_detail::pooled_block<T>;

public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using const_reference = const T&;
    using iterator = T*;
    using const_iterator = const T*;

    /** Empty, and without memory. */
    pooled_vector() noexcept = default;
    /** So many items as their type makes them by itself.
     *  @par Errors  `std::length_error` beyond 2^32 - 1 items, as wherever there are more; `std::bad_alloc`. */
    explicit pooled_vector(std::size_t count) { resize(count); }
    /** Copies of a range. */
    template <std::input_iterator Iterator>
    pooled_vector(Iterator first, Iterator last)
    {
        insert(end(), first, last);
    }
    pooled_vector(std::initializer_list<T> items) : pooled_vector{items.begin(), items.end()} {}
    /** Has its own memory, of the size that the items need. */
    pooled_vector(const pooled_vector& other) : pooled_vector{other.begin(), other.end()} {}
    /** Takes the memory over: `other` is empty, and references to items stay valid. */
    pooled_vector(pooled_vector&& other) noexcept : block_{std::exchange(other.block_, nullptr)} {}
    /** Has what `other` has; what was here goes with it. */
    pooled_vector& operator=(pooled_vector other) noexcept
    {
        swap(other);
        return *this;
    }
    ~pooled_vector()
    {
        if (block_) block::drop(block_);
    }
    /** Has copies of a range, which is not of this vector, in place of its items. */
    template <std::input_iterator Iterator>
    void assign(Iterator first, Iterator last)
    {
        clear();
        insert(end(), first, last);
    }
    /** Each has the items of the other; references to them stay valid. */
    void swap(pooled_vector& other) noexcept { std::swap(block_, other.block_); }

    /** Whether there are no items; it may have memory. */
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    /** How many items there are. It looks at the memory: who asks often keeps it. */
    [[nodiscard]] std::size_t size() const noexcept { return block_ ? block_->size : 0; }
    /** How many items fit before they move. */
    [[nodiscard]] std::size_t capacity() const noexcept { return block_ ? block_->capacity : 0; }

    /** Where the items stand, one behind another; null while there has never been one. */
    [[nodiscard]] T* data() noexcept { return block_ ? block_->items() : nullptr; }
    [[nodiscard]] const T* data() const noexcept { return block_ ? block_->items() : nullptr; }
    // Iterators are pointers: valid until an item comes for which there is no room, or one before them goes.
    [[nodiscard]] iterator begin() noexcept { return data(); }
    [[nodiscard]] iterator end() noexcept { return block_ ? block_->items() + block_->size : nullptr; }
    [[nodiscard]] const_iterator begin() const noexcept { return data(); }
    [[nodiscard]] const_iterator end() const noexcept { return block_ ? block_->items() + block_->size : nullptr; }
    /** The item at `index`, which is less than `size()`. */
    [[nodiscard]] T& operator[](std::size_t index) noexcept { return block_->items()[index]; }
    [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return block_->items()[index]; }
    /** Of a vector that is not empty, as `back` and `pop_back`. */
    [[nodiscard]] T& front() noexcept { return block_->items()[0]; }
    [[nodiscard]] const T& front() const noexcept { return block_->items()[0]; }
    [[nodiscard]] T& back() noexcept { return block_->items()[block_->size - 1]; }
    [[nodiscard]] const T& back() const noexcept { return block_->items()[block_->size - 1]; }

    /** Makes room for `count` items together. It never gives memory back: `swap` with an empty one does.
     *  @par Errors  As the constructor of so many. */
    void reserve(std::size_t count)
    {
        if (count > capacity()) move_to(count);
    }
    /** Drops the last items, or appends some as their type makes them by itself. */
    void resize(std::size_t count)
    {
        reserve(count);
        while (size() > count) pop_back();
        if (const std::size_t before = size(); before < count) {
            std::uninitialized_value_construct(block_->items() + before, block_->items() + count);
            block_->size = static_cast<std::uint32_t>(count);
        }
    }

    /** Appends an item; a reference into this vector is a right argument. When its constructor throws, nothing has
     *  changed. */
    void push_back(const T& item) { emplace_back(item); }
    void push_back(T&& item) { emplace_back(std::move(item)); }
    /** Appends an item made of `args`. @return  The item. */
    template <class... Args>
    T& emplace_back(Args&&... args)
    {
        if (!block_ || block_->size == block_->capacity) return emplace_in_larger(std::forward<Args>(args)...);
        T* const added = std::construct_at(block_->items() + block_->size, std::forward<Args>(args)...);
        ++block_->size;
        return *added;
    }
    /** Destroys the last item; its memory stays. */
    void pop_back() noexcept { std::destroy_at(block_->items() + --block_->size); }

    /** Puts an item before `position`. @return  Where it stands. */
    iterator insert(const_iterator position, T item)
    {
        const auto at = position - begin();
        emplace_back(std::move(item));
        std::rotate(begin() + at, end() - 1, end());
        return begin() + at;
    }
    /** The same with the items of a range, which is not of this vector. @return  Where the first of them stands. */
    template <std::input_iterator Iterator>
    iterator insert(const_iterator position, Iterator first, Iterator last)
    {
        const auto at = position - begin();
        const auto before = static_cast<std::ptrdiff_t>(size());
        if constexpr (std::forward_iterator<Iterator>)
            reserve(size() + static_cast<std::size_t>(std::distance(first, last)));
        for (; first != last; ++first) emplace_back(*first);
        std::rotate(begin() + at, begin() + before, end());
        return begin() + at;
    }
    /** Takes items out. @return  Where the one behind them stands. */
    iterator erase(const_iterator position) { return erase(position, position + 1); }
    /** The same for a range, which may be empty. */
    iterator erase(const_iterator first, const_iterator last)
    {
        const auto at = begin() + (first - begin());
        const auto left = std::move(at + (last - first), end(), at);
        while (end() != left) pop_back();
        return at;
    }
    /** Takes out the items of which `condition` holds. @return  How many. */
    template <class Condition>
    friend std::size_t erase_if(pooled_vector& of, Condition condition)
    {
        const auto before = of.size();
        of.erase(std::remove_if(of.begin(), of.end(), condition), of.end());
        return before - of.size();
    }
    /** Destroys the items; the memory stays. */
    // So that a vector which is filled again and again allocates once.
    void clear() noexcept
    {
        if (!block_) return;
        std::destroy_n(block_->items(), block_->size);
        block_->size = 0;
    }

    /** The same number of items, each equal to the one at its place. */
    friend bool operator==(const pooled_vector& a, const pooled_vector& b)
    {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    /** Moves the items to memory for `count`, which is more than there are. */
    void move_to(std::size_t count)
    {
        pooled_vector larger;
        larger.block_ = block::make(count);
        larger.block_->take_items_of(block_);
        swap(larger);
    }
    // Out of the way of the fast path. The new item is made first: it may be made of one that moves.
    template <class... Args>
    [[gnu::noinline]] T& emplace_in_larger(Args&&... args)
    {
        const std::size_t before = size();
        pooled_vector larger;
        larger.block_ = block::make(std::max<std::size_t>(2 * before, 1));
        T* const added = std::construct_at(larger.block_->items() + before, std::forward<Args>(args)...);
        larger.block_->take_items_of(block_);
        larger.block_->size = static_cast<std::uint32_t>(before + 1);
        swap(larger);
        return *added;
    }

    block* block_ = nullptr;
};

}  // namespace weft
