#include "run_outcomes.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace weft {

run_phase phase_of(run_status status) noexcept
{
    switch (status) {
    case run_status::finished: return run_phase::finished;
    case run_status::paused: return run_phase::waiting;
    case run_status::cancelled: return run_phase::cancelled;
    case run_status::failed: break;
    }
    return run_phase::failed;
}

// A run that cost too many processes is `dead`: it failed, too.
run_status status_of(run_phase phase) noexcept
{
    switch (phase) {
    case run_phase::finished: return run_status::finished;
    case run_phase::cancelled: return run_status::cancelled;
    case run_phase::waiting: return run_status::paused;
    default: return run_status::failed;
    }
}

run_result failed_result(errc code, std::string message, std::exception_ptr cause)
{
    run_result result{run_status::failed, run_quality::failed};
    failure why;
    why.code = code;
    why.message = std::move(message);
    why.cause = std::move(cause);
    result.why = std::make_shared<const failure>(std::move(why));
    return result;
}

run_result result_of(const run_record& record)
{
    const run_status status = status_of(record.phase);
    if (status == run_status::failed) return failed_result(errc::node_failed, record.message);
    return run_result{status, status == run_status::cancelled ? run_quality::failed : run_quality::clean};
}

std::optional<wall_time> first_end_of_wait(const std::vector<open_question>& questions)
{
    std::optional<wall_time> first;
    for (const open_question& each : questions) {
        if (!each.asked.keeps_run_awake || each.asked.expires_in.count() == 0) continue;
        const wall_time end = each.asked_at + std::chrono::duration_cast<wall_time::duration>(each.asked.expires_in);
        first = first ? std::min(*first, end) : end;
    }
    return first;
}

}  // namespace weft
