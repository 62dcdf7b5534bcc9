#include <weft/facade/state/state_threads.hpp>

namespace weft {

std::string_view name_of(thread_status status) noexcept
{
    switch (status) {
    case thread_status::running: return "running";
    case thread_status::interrupted_before: return "interrupted_before";
    case thread_status::interrupted_after: return "interrupted_after";
    case thread_status::stopped: return "stopped";
    case thread_status::completed: return "completed";
    case thread_status::error: return "error";
    }
    return "unknown";
}

std::optional<thread_record> state_threads::load(const std::string& thread) const
{
    const std::lock_guard lock{mutex_};
    const auto found = kept_.find(thread);
    if (found == kept_.end()) return std::nullopt;
    return found->second;
}

void state_threads::save(const std::string& thread, thread_record record)
{
    const std::lock_guard lock{mutex_};
    kept_.insert_or_assign(thread, std::move(record));
}

void state_threads::forget(const std::string& thread)
{
    const std::lock_guard lock{mutex_};
    kept_.erase(thread);
}

bool state_threads::enter(const std::string& thread, std::stop_source pause)
{
    const std::lock_guard lock{mutex_};
    // Of two runs of one thread the second is refused: they would overwrite each other's record.
    return running_.emplace(thread, std::move(pause)).second;
}

void state_threads::leave(const std::string& thread)
{
    const std::lock_guard lock{mutex_};
    running_.erase(thread);
}

bool state_threads::pause(const std::string& thread)
{
    std::stop_source pause{std::nostopstate};
    {
        const std::lock_guard lock{mutex_};
        const auto found = running_.find(thread);
        if (found == running_.end()) return false;
        pause = found->second;
    }
    // Outside of the lock: a callback of the stop may ask for a thread here.
    pause.request_stop();
    return true;
}

}  // namespace weft
