#include "heard_threads.hpp"

#include <utility>

namespace weft::serve_detail {

void heard_threads::want(std::uint64_t name)
{
    const std::lock_guard lock{lock_};
    ++threads_[name].wanted;
}

void heard_threads::unwant(std::uint64_t name)
{
    const std::lock_guard lock{lock_};
    const auto found = threads_.find(name);
    if (found != threads_.end() && --found->second.wanted == 0) threads_.erase(found);
}

void heard_threads::note(std::uint64_t name, thread& of, bool is_change)
{
    if (!std::exchange(of.is_heard, true)) heard_.push_back(name);
    of.is_change |= is_change;
}

void heard_threads::add(const store_notice& notice)
{
    bool is_first = false;
    {
        const std::lock_guard lock{lock_};
        is_first = heard_.empty();
        const bool is_change = notice.what != store_notice::kind::events;
        if (notice.thread == 0) {
            for (auto& [name, of] : threads_) note(name, of, is_change);
        } else if (const auto found = threads_.find(notice.thread); found != threads_.end()) {
            note(found->first, found->second, is_change);
        }
        is_first = is_first && !heard_.empty();
    }
    if (is_first) arrived_->notify();
}

std::vector<heard_threads::heard> heard_threads::take()
{
    std::vector<heard> result;
    const std::lock_guard lock{lock_};
    for (const std::uint64_t name : std::exchange(heard_, {})) {
        const auto found = threads_.find(name);
        if (found == threads_.end()) continue;
        found->second.is_heard = false;
        result.push_back({name, std::exchange(found->second.is_change, false)});
    }
    return result;
}

}  // namespace weft::serve_detail
