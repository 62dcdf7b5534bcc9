#include <weft/store/record/run_record.hpp>

namespace weft {

std::string_view name_of(run_phase phase) noexcept
{
    switch (phase) {
    case run_phase::queued: return "queued";
    case run_phase::ready: return "ready";
    case run_phase::running: return "running";
    case run_phase::waiting: return "waiting";
    case run_phase::finished: return "finished";
    case run_phase::failed: return "failed";
    case run_phase::cancelled: return "cancelled";
    case run_phase::dead: break;
    }
    return "dead";
}

bool is_over(run_phase phase) noexcept
{
    switch (phase) {
    case run_phase::queued:
    case run_phase::ready:
    case run_phase::running:
    case run_phase::waiting: return false;
    case run_phase::finished:
    case run_phase::failed:
    case run_phase::cancelled:
    case run_phase::dead: break;
    }
    return true;
}

std::string_view name_of(write_state state) noexcept
{
    switch (state) {
    case write_state::ok: return "ok";
    case write_state::fenced: return "fenced";
    case write_state::stale_head: return "stale_head";
    case write_state::duplicate: break;
    }
    return "duplicate";
}

}  // namespace weft
