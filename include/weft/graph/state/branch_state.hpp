#pragma once

#include <weft/base/memory/pooled_vector.hpp>
#include <weft/graph/state/state.hpp>
#include <weft/graph/state/write_set.hpp>

#include <memory>
#include <utility>

namespace weft {

/** The state as one branch sees it: its own writes over those of the branches it forked from, over the run's state.
 *
 *  The root of a run writes into the state itself; every branch keeps its writes to itself until its join merges them.
 *  While branches are open, the one they forked from does not change.
 *
 *  @par Lifetimes   The parent outlives the branch.
 */
class branch_state {
public:
    /** What a branch did to one key. */
    struct entry {
        std::uint32_t slot;
        bool is_overwrite;                 ///< `visible` replaces what was there; updates came after it.
        std::uint32_t folded = 0;          ///< How many of `updates` are already in `visible`.
        value_ptr visible;                 ///< The value as the branch sees it; null until it is read.
        pooled_vector<value_ptr> updates;  ///< For the reducer at the join, in order.
    };
    using entries = pooled_vector<entry>;

    explicit branch_state(state root) : root_{std::move(root)} {}
    explicit branch_state(branch_state* parent) : parent_{parent} {}
    /** A branch that has done these things already. */
    branch_state(branch_state* parent, entries changes) : parent_{parent}, entries_{std::move(changes)} {}

    static void* operator new(std::size_t size) { return allocate_block(size); }
    static void operator delete(void* memory, std::size_t size) noexcept { free_block(memory, size); }

    /** The value of a key as this branch sees it; null if it has none. */
    [[nodiscard]] const value_ptr& read(std::uint32_t slot);

    /** Takes over the writes of a node that completed. Custom reducers may throw; then nothing is lost but this. */
    void commit(write_set&& writes);
    /** Takes over what a branch that forked from this one did to a key. */
    void merge(entry&& change);

    [[nodiscard]] bool is_root() const noexcept { return parent_ == nullptr; }
    [[nodiscard]] branch_state* parent() const noexcept { return parent_; }
    void set_parent(branch_state* parent) noexcept { parent_ = parent; }
    [[nodiscard]] const state& root() const noexcept { return root_; }
    [[nodiscard]] state& root() noexcept { return root_; }
    [[nodiscard]] const entries& changes() const noexcept { return entries_; }
    [[nodiscard]] entries take_changes() noexcept { return std::move(entries_); }
    [[nodiscard]] const state_layout& layout() const noexcept
    {
        const branch_state* branch = this;
        while (branch->parent_) branch = branch->parent_;
        return branch->root_.layout();
    }

    /** The whole state as this branch sees it, as a snapshot. */
    [[nodiscard]] state snapshot();

private:
    void apply(state_write&& write);
    [[nodiscard]] entry& entry_of(std::uint32_t slot);
    [[nodiscard]] entry* find(std::uint32_t slot) noexcept;
    const value_ptr& fold(entry& change);

    branch_state* parent_ = nullptr;
    state root_;
    entries entries_;
};

}  // namespace weft
