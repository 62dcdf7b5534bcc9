#pragma once

#include <weft/graph/state/value.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace weft {

/** A fixed number of values, by slot. Copies share everything that neither has written since.
 *
 *  A copy costs one count. The first write after a copy copies the 16 values around the slot, and one such block of
 *  links for each level above; there is one level per factor of 16 in the size, so that a write hardly costs
 *  more, however many others there are.
 *
 *  @par Thread safety   As a value; copies may be used on different OS threads.
 */
class value_tree {
public:
    /** Every slot is null, and none can be written. */
    value_tree() noexcept = default;
    /** With so many slots, all null. */
    explicit value_tree(std::uint32_t size);
    value_tree(const value_tree& other) noexcept : root_{other.root_}
    {
        if (root_) root_->owners.fetch_add(1, std::memory_order_relaxed);
    }
    value_tree(value_tree&& other) noexcept : root_{std::exchange(other.root_, nullptr)} {}
    value_tree& operator=(value_tree other) noexcept
    {
        std::swap(root_, other.root_);
        return *this;
    }
    /** Drops what no other copy shares. */
    ~value_tree()
    {
        if (root_) drop(root_);  // most are moved from, or have no slots
    }

    /** Whether it has slots that can be written. */
    [[nodiscard]] bool has_slots() const noexcept { return root_ != nullptr; }
    /** The value of a slot below the size. */
    [[nodiscard]] const value_ptr& operator[](std::uint32_t slot) const noexcept
    {
        const node* n = root_;
        if (!n) return no_value;
        for (unsigned shift = n->shift; shift != 0; shift -= bits) n = n->links()[(slot >> shift) & mask];
        return n->values()[slot & mask];
    }

    /** The place of a value, for writing; no copy sees what is written there. */
    [[nodiscard]] value_ptr& writable(std::uint32_t slot)
    {
        node** at = &root_;
        for (unsigned shift = root_->shift; shift != 0; shift -= bits) at = &own(*at).links()[(slot >> shift) & mask];
        return own(*at).values()[slot & mask];
    }

private:
    static constexpr unsigned bits = 4;
    static constexpr std::uint32_t mask = (1u << bits) - 1;
    static inline const value_ptr no_value;

    /** Values, or links to nodes one level below; they follow in the same block. */
    struct node {
        std::atomic<std::uint32_t> owners;
        std::uint16_t size;   // 16 at most
        std::uint16_t shift;  // bits of a slot below those that choose among its links; 0: it has values

        [[nodiscard]] value_ptr* values() noexcept { return reinterpret_cast<value_ptr*>(this + 1); }
        [[nodiscard]] const value_ptr* values() const noexcept { return reinterpret_cast<const value_ptr*>(this + 1); }
        [[nodiscard]] node** links() noexcept { return reinterpret_cast<node**>(this + 1); }
        [[nodiscard]] node* const* links() const noexcept { return reinterpret_cast<node* const*>(this + 1); }
    };

    [[nodiscard]] static node* make(std::uint32_t size, unsigned shift);
    [[nodiscard]] static node* make_subtree(std::uint32_t size, unsigned shift);
    [[nodiscard]] static node* copy_of(const node& from);
    static void drop(node* n) noexcept;

    /** Makes `n` a node of this tree alone. */
    static node& own(node*& n)
    {
        if (n->owners.load(std::memory_order_acquire) != 1) drop(std::exchange(n, copy_of(*n)));
        return *n;
    }

    node* root_ = nullptr;  // null: there are no slots
};

}  // namespace weft
