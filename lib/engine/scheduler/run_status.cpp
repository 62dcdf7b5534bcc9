#include <weft/engine/scheduler/run_status.hpp>

namespace weft {

std::string_view name_of(run_status status) noexcept
{
    switch (status) {
    case run_status::finished: return "finished";
    case run_status::failed: return "failed";
    case run_status::paused: return "paused";
    case run_status::cancelled: return "cancelled";
    }
    return "unknown";
}

std::string_view name_of(run_quality quality) noexcept
{
    switch (quality) {
    case run_quality::clean: return "clean";
    case run_quality::degraded: return "degraded";
    case run_quality::failed: return "failed";
    }
    return "unknown";
}

}  // namespace weft
