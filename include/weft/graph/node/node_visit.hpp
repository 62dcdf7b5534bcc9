#pragma once

#include <weft/async/task/task_context.hpp>
#include <weft/graph/node/failure.hpp>
#include <weft/graph/state/branch_state.hpp>
#include <weft/graph/state/fan_out.hpp>
#include <weft/graph/state/state_layout.hpp>
#include <weft/graph/state/write_set.hpp>

#include <cstdint>
#include <memory>
#include <string_view>

namespace weft {

class joined_branches;
class node_host;
struct key_scope;

/** One attempt of a node, as what runs it sees it: keys by slot, writes as they are, what came before. The engine, the
 *  kinds of nodes and decorators of nodes work with it. `node_context`, which derives from it, is what the functions
 *  of nodes get.
 *
 *  Reads see the branch and, over it, the attempt's own writes; nothing outside sees these before they are committed.
 *
 *  @par Thread safety   None: use it on the run's loop.
 *  @par Lifetimes       Host, task and branch outlive it.
 */
class node_visit {
public:
    struct visit_info {
        std::string_view node;
        std::uint32_t visit = 1;
        std::uint32_t attempt = 1;
        const key_scope* scope = nullptr;  ///< Null if the node may use every key.
        std::uint32_t conversation = state_layout::none;
    };
    /** What came before this attempt; null where there is nothing. It outlives the attempt. */
    struct past {
        const failure* failed = nullptr;
        const joined_branches* branches = nullptr;
        const write_set* last_outputs = nullptr;  ///< Of the node's visit before.
    };

    node_visit(node_host& host, const task_context& task, branch_state& view, visit_info info) noexcept
        : host_{host}, task_{task}, view_{view}, node_{info.node.data()}, scope_{info.scope},
          node_size_{static_cast<std::uint32_t>(info.node.size())}, is_repeatable_{1}, visit_{info.visit},
          attempt_{info.attempt}, conversation_{info.conversation}
    {
    }
    node_visit(const node_visit&) = delete;
    node_visit& operator=(const node_visit&) = delete;

    /** Becomes another attempt in the same branch; of this one nothing stays. */
    void begin_next(const visit_info& next) noexcept
    {
        node_ = next.node.data();
        node_size_ = static_cast<std::uint32_t>(next.node.size());
        scope_ = next.scope;
        visit_ = next.visit;
        attempt_ = next.attempt;
        conversation_ = next.conversation;
        is_repeatable_ = 1;
        writes_.clear();
        beside_.reset();
    }

    /** The run that the attempt is a part of. */
    [[nodiscard]] node_host& host() const noexcept { return host_; }
    /** The state of the node's branch, without what the attempt has written. */
    [[nodiscard]] branch_state& branch() const noexcept { return view_; }
    /** The loop and the stop scope of the attempt. */
    [[nodiscard]] const task_context& context() const noexcept { return task_; }
    /** The keys of the graph. */
    [[nodiscard]] const state_layout& layout() const noexcept { return view_.layout(); }
    /** Which node, visit and attempt this is. */
    [[nodiscard]] visit_info info() const noexcept
    {
        return {{node_, node_size_}, visit_, attempt_, scope_, conversation_};
    }
    /** The key of the graph's conversation; `state_layout::none` if the node has no part in one. */
    [[nodiscard]] std::uint32_t conversation_slot() const noexcept { return conversation_; }

    [[nodiscard]] past before() const noexcept { return beside_ ? beside_->before : past{}; }
    void set_past(const past& before) { beside().before = before; }
    /** What this node wrote to a slot on its last visit, if it is of that type; otherwise null. */
    [[nodiscard]] const value_box* prior(std::uint32_t slot, const value_type& type) const noexcept;
    /** The same of the type of the key's updates. */
    [[nodiscard]] const value_box* prior_at(std::uint32_t slot) const noexcept
    {
        return prior(slot, *layout()[slot].type->update);
    }

    /** Takes down a write.
     *  @par Errors  `key_out_of_scope`; `state_conversion` for a number that is not finite, alone or joined. */
    void write(state_write write);
    /** What the attempt has written, in order. */
    [[nodiscard]] write_set& writes() noexcept { return writes_; }
    [[nodiscard]] const write_set& writes() const noexcept { return writes_; }
    /** The value of a slot with the node's own writes, whatever its scope. */
    [[nodiscard]] const value_ptr& value_at(std::uint32_t slot) const
    {
        return writes_.empty() ? view_.read(slot) : read_through_writes(slot);
    }

    [[nodiscard]] bool may_read(std::uint32_t slot) const noexcept;
    [[nodiscard]] bool may_write(std::uint32_t slot) const noexcept;
    /** Throws `key_out_of_scope` if the node may not read the slot. */
    void require_readable(std::uint32_t slot) const;
    /** Throws `key_out_of_scope` if the node may not write the slot. */
    void require_writable(std::uint32_t slot) const;

    /** Whether its writes are all that it has done as far as is known: no question, no effect, no use of memory, no
     *  stop of a sibling. */
    [[nodiscard]] bool is_repeatable() const noexcept { return is_repeatable_ != 0; }

protected:
    ~node_visit() = default;

    /** Notes that the node did something besides writing. */
    void note_deed() const noexcept { is_repeatable_ = 0; }

private:
    /** What most attempts do not have. */
    struct seldom {
        past before;
        write_set own_view;  // values of keys as this attempt's own writes make them
    };
    [[nodiscard]] seldom& beside() const
    {
        if (!beside_) beside_ = std::make_unique<seldom>();
        return *beside_;
    }
    [[nodiscard]] const value_ptr& read_through_writes(std::uint32_t slot) const;

    node_host& host_;
    const task_context& task_;
    branch_state& view_;
    // Those of `visit_info`, one by one: so they take no more than they need.
    const char* node_;
    const key_scope* scope_;
    std::uint32_t node_size_ : 31;
    mutable std::uint32_t is_repeatable_ : 1;
    std::uint32_t visit_;
    std::uint32_t attempt_;
    std::uint32_t conversation_;
    write_set writes_;
    mutable std::unique_ptr<seldom> beside_;  // mostly null
};

}  // namespace weft
