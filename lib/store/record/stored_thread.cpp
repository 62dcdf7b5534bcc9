#include <weft/store/record/stored_thread.hpp>

namespace weft {

std::string_view name_of(thread_phase phase) noexcept
{
    switch (phase) {
    case thread_phase::idle: return "idle";
    case thread_phase::busy: return "busy";
    case thread_phase::waiting: return "waiting";
    case thread_phase::failed: return "failed";
    }
    return "";
}

}  // namespace weft
