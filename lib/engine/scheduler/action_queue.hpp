#pragma once

#include "action.hpp"

#include <weft/graph/state/written_values.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

namespace weft {

/** What the driver has still to do, in the order in which it was decided. Notices are queued only if they are wanted.
 *
 *  @par Thread safety   None.
 */
class action_queue {
public:
    explicit action_queue(bool gives_notices) noexcept : gives_notices_{gives_notices} {}

    [[nodiscard]] bool is_empty() const noexcept { return left_ == 0; }
    /** The oldest one; there is one. */
    [[nodiscard]] action take() noexcept { return actions_[actions_.size() - left_--]; }

    void push(action::kind what, branch_index branch, std::chrono::nanoseconds delay = {})
    {
        action& next = add();
        next.what = what;
        next.branch = branch;
        next.delay = delay;
    }

    /** From now on notices are wanted. */
    void give_notices() noexcept { gives_notices_ = true; }
    [[nodiscard]] bool gives_notices() const noexcept { return gives_notices_; }
    void notify(action::notice_kind what, branch_index branch, node_index node, std::uint32_t number = 0)
    {
        if (gives_notices_) add_notice(what, branch, node).number = number;
    }
    /** The same, with values that are taken together with the notice. */
    void notify_written(action::notice_kind what, branch_index branch, node_index node,
                        std::shared_ptr<const written_values> values)
    {
        if (!gives_notices_) return;
        (void)add_notice(what, branch, node);
        if (!written_) written_ = std::make_unique<std::deque<std::shared_ptr<const written_values>>>();
        written_->push_back(std::move(values));
    }
    /** The values of the oldest notice that has some and whose values were not taken. */
    [[nodiscard]] std::shared_ptr<const written_values> take_written()
    {
        std::shared_ptr<const written_values> oldest = std::move(written_->front());
        written_->pop_front();
        return oldest;
    }
    void notify_edge(branch_index branch, node_index source, node_index target, std::uint32_t declared)
    {
        if (!gives_notices_) return;
        action& notice = add_notice(action::notice_kind::edge_taken, branch, target);
        notice.source = source;
        notice.edge = declared;
    }

private:
    [[nodiscard]] action& add()
    {
        // What was taken is forgotten late, so that the memory is used again.
        if (is_empty()) actions_.clear();
        action& added = actions_.emplace_back();
        ++left_;
        return added;
    }
    [[nodiscard]] action& add_notice(action::notice_kind what, branch_index branch, node_index node)
    {
        action& notice = add();
        notice.what = action::kind::notice;
        notice.notice = what;
        notice.branch = branch;
        notice.node = node;
        return notice;
    }

    // Of watched runs only: an action would be larger for it in all of them.
    std::unique_ptr<std::deque<std::shared_ptr<const written_values>>> written_;
    pooled_vector<action> actions_;  // a queue: the last `left_` are still to be taken
    std::uint32_t left_ = 0;         // asked for at each start of a node: a size would have to be divided
    bool gives_notices_;
};

}  // namespace weft
