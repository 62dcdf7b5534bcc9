#include "save_gate.hpp"

namespace weft {

save_gate::save_gate(const schedule_limits& limits) noexcept
    : saves_steps_{limits.saves}, saves_starts_{limits.saves_starts}, saves_end_{limits.saves_end},
      holds_{limits.holds_for_save}
{
}

void save_gate::remember(checkpoint_kind moment, node_index node) noexcept
{
    is_unsaved_ = true;
    is_start_saved_ = false;
    changed_moment_ = moment;
    changed_node_ = node;
}

std::optional<save_gate::request> save_gate::begin_step() noexcept
{
    if (!saves_steps_ || is_saving() || !is_unsaved_) return std::nullopt;
    is_unsaved_ = false;
    under_way_ = stage::step;
    return request{changed_moment_, changed_node_};
}

bool save_gate::is_start_due() const noexcept
{
    return saves_steps_ && saves_starts_ && !is_start_saved_ && !is_saving();
}

save_gate::request save_gate::begin_start(node_index node) noexcept
{
    is_start_saved_ = true;
    is_unsaved_ = false;
    under_way_ = stage::step;
    return {checkpoint_kind::node_start, node};
}

bool save_gate::begin_end() noexcept
{
    if (is_saving() || !saves_end_) return false;
    saves_end_ = false;
    is_unsaved_ = false;
    under_way_ = stage::end;
    return true;
}

bool save_gate::give_up() noexcept
{
    const bool was_end = awaits_end();
    under_way_ = stage::none;
    is_unsaved_ = false;
    saves_steps_ = false;
    saves_end_ = false;
    return was_end;
}

}  // namespace weft
