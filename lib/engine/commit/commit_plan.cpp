#include "commit_plan.hpp"

namespace weft {

void commit_plan::written(const commit_result& result) noexcept
{
    fruitless_ = 0;
    switch (result.state) {
    case write_state::ok:
    case write_state::duplicate:  // an earlier try came through, and nothing was written since
        head_ = result.head;
        next_ = step::done;
        return;
    case write_state::fenced: next_ = step::lost; return;
    case write_state::stale_head:
        // A write came behind the head: our own, if an earlier one came through after all.
        is_head_stale_ = true;
        is_earlier_wanted_ = !is_in_doubt_ && !doubtful_.is_nil();
        next_ = is_in_doubt_ || is_earlier_wanted_ ? step::look_up : step::lost;
        return;
    }
}

void commit_plan::found(std::optional<std::int64_t> sequence) noexcept
{
    fruitless_ = 0;
    if (!is_earlier_wanted_) {
        if (sequence) head_ = *sequence;
        if (sequence)
            next_ = step::done;
        else
            next_ = is_head_stale_ ? step::lost : step::write;
        return;
    }
    // The earlier one has been looked for: if it is there the head is behind it, and the write is tried again.
    is_earlier_wanted_ = false;
    doubtful_ = checkpoint_id{};
    is_head_stale_ = false;
    if (sequence) head_ = *sequence;
    next_ = sequence ? step::write : step::lost;
}

void commit_plan::threw(errc code) noexcept
{
    why_ = code;
    ++fruitless_;
    // Nothing was sent: the same step again.
    if (code == errc::store_unavailable) return;
    if (code != errc::store_outcome_unknown) {
        next_ = step::failed;
        return;
    }
    // Written or not: looked up first, since a second write of the same would be a second checkpoint.
    if (next_ == step::write) is_in_doubt_ = true;
    next_ = step::look_up;
}

}  // namespace weft
