#include <weft/graph/state/value_tree.hpp>

#include <weft/base/memory/free_list.hpp>

#include <algorithm>
#include <memory>
#include <new>

namespace weft {

value_tree::value_tree(std::uint32_t size)
{
    if (size == 0) return;
    unsigned shift = 0;
    while ((size - 1) >> shift > mask) shift += bits;
    root_ = make_subtree(size, shift);
}

value_tree::node* value_tree::make(std::uint32_t size, unsigned shift)
{
    static_assert(sizeof(node) % alignof(value_ptr) == 0 && sizeof(value_ptr) == sizeof(node*));
    void* const block = allocate_block(sizeof(node) + size * sizeof(value_ptr));
    return new (block) node{1, static_cast<std::uint16_t>(size), static_cast<std::uint16_t>(shift)};
}

/** A node for `size` slots, and all below it, without values. */
value_tree::node* value_tree::make_subtree(std::uint32_t size, unsigned shift)
{
    if (shift == 0) {
        node* const leaf = make(size, 0);
        std::uninitialized_value_construct_n(leaf->values(), size);
        return leaf;
    }
    const std::uint32_t below = 1u << shift;
    node* const parent = make((size + below - 1) >> shift, shift);
    std::fill_n(parent->links(), parent->size, nullptr);
    try {
        for (std::uint32_t i = 0; i < parent->size; ++i)
            parent->links()[i] = make_subtree(std::min(below, size - i * below), shift - bits);
    } catch (...) {
        drop(parent);
        throw;
    }
    return parent;
}

value_tree::node* value_tree::copy_of(const node& from)
{
    node* const copy = make(from.size, from.shift);
    if (from.shift == 0) {
        std::uninitialized_copy_n(from.values(), from.size, copy->values());
    } else {
        std::copy_n(from.links(), from.size, copy->links());
        for (std::uint32_t i = 0; i < from.size; ++i)
            copy->links()[i]->owners.fetch_add(1, std::memory_order_relaxed);
    }
    return copy;
}

void value_tree::drop(node* n) noexcept
{
    if (!n) return;
    // No other owner can come beside the only one, which then need not subtract: to look costs less.
    const bool is_only = n->owners.load(std::memory_order_acquire) == 1;
    if (!is_only && n->owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (n->shift == 0)
        std::destroy_n(n->values(), n->size);
    else
        for (std::uint32_t i = 0; i < n->size; ++i) drop(n->links()[i]);
    const std::size_t bytes = sizeof(node) + n->size * sizeof(value_ptr);
    std::destroy_at(n);
    free_block(n, bytes);
}

}  // namespace weft
