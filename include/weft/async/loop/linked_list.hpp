#pragma once

#include <cstddef>

namespace weft {

/** A place in a `linked_list`, to derive from. `List` tells places in different lists of one object apart.
 *
 *  It is in at most one list, leaves it in constant time, and leaves by itself when it dies.
 *
 *  @par Thread safety   None.
 */
template <class List>
class list_node {
public:
    // Neighbours know its address: it stays where it is.
    list_node() noexcept = default;
    list_node(const list_node&) = delete;
    list_node& operator=(const list_node&) = delete;
    ~list_node() { unlink(); }

    /** Whether it is in a list, of which it does not know which. */
    [[nodiscard]] bool is_linked() const noexcept { return next_ != nullptr; }

    /** Leaves its list; does nothing outside of one. */
    void unlink() noexcept
    {
        if (!next_) return;
        previous_->next_ = next_;
        next_->previous_ = previous_;
        next_ = previous_ = nullptr;
    }

private:
    template <class Item, class OfList>
    friend class linked_list;

    list_node* previous_ = nullptr;
    list_node* next_ = nullptr;
};

/** A first-in, first-out list of objects that it does not own: a ring through a sentinel.
 *
 *      struct job : list_node<struct jobs_tag> { ... };
 *      linked_list<job, jobs_tag> jobs;
 *
 *  Nothing is allocated, and an item leaves from the middle in constant time.
 *
 *  @par Thread safety   None.
 *  @par Lifetimes       Items and list may die in any order: the list lets go of what is still in it.
 */
template <class Item, class List>
class linked_list {
    using node = list_node<List>;

public:
    linked_list() noexcept { sentinel_.previous_ = sentinel_.next_ = &sentinel_; }
    linked_list(const linked_list&) = delete;
    linked_list& operator=(const linked_list&) = delete;
    // A null pointer in an item that is still linked says that the list is gone.
    ~linked_list()
    {
        while (!empty()) sentinel_.next_->unlink();
        sentinel_.previous_ = sentinel_.next_ = nullptr;
    }

    [[nodiscard]] bool empty() const noexcept { return sentinel_.next_ == &sentinel_; }

    /** The oldest item. The list must not be empty. */
    [[nodiscard]] Item& front() const noexcept { return static_cast<Item&>(*sentinel_.next_); }

    /** Puts an item, which must be in no list of this kind, at the end. */
    void push(Item& item) noexcept { link_behind(*sentinel_.previous_, item); }

    /** Puts an item before the first one of which it is `earlier`, looking from the end. For lists in an order. */
    template <class Earlier>
    void push_sorted(Item& item, Earlier earlier) noexcept
    {
        node* before = sentinel_.previous_;
        while (before != &sentinel_ && earlier(item, static_cast<Item&>(*before))) before = before->previous_;
        link_behind(*before, item);
    }

    /** The item that was put behind `item`, which is in the list; null: that is the newest. */
    [[nodiscard]] Item* behind(const Item& item) const noexcept
    {
        node* const next = static_cast<const node&>(item).next_;
        return next == &sentinel_ ? nullptr : static_cast<Item*>(next);
    }

    /** Takes the oldest item out. The list must not be empty. */
    Item& pop() noexcept
    {
        node& first = *sentinel_.next_;
        first.unlink();
        return static_cast<Item&>(first);
    }

    /** Takes out the item at `position`, counted from the oldest; walks there. */
    Item& pop_at(std::size_t position) noexcept
    {
        node* found = sentinel_.next_;
        while (position-- > 0) found = found->next_;
        found->unlink();
        return static_cast<Item&>(*found);
    }

    /** How many items there are; counts them. */
    [[nodiscard]] std::size_t size() const noexcept
    {
        std::size_t count = 0;
        for (const node* item = sentinel_.next_; item != &sentinel_; item = item->next_) ++count;
        return count;
    }

private:
    void link_behind(node& before, node& added) noexcept
    {
        added.previous_ = &before;
        added.next_ = before.next_;
        before.next_->previous_ = &added;
        before.next_ = &added;
    }

    // Before the oldest and behind the newest item: no end needs a case of its own.
    node sentinel_;
};

}  // namespace weft
