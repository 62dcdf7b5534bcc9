#include <weft/agent/chat_agent/latest_run_registry.hpp>

#include <utility>

namespace weft {

struct latest_run_registry::shared_state {
    struct place {
        std::uint64_t number;
        std::stop_source stop;
    };

    std::mutex lock;
    std::map<std::string, place> places;
    std::uint64_t last = 0;
};

latest_run_registry::latest_run_registry() : shared_{std::make_shared<shared_state>()} {}

latest_run_registry::claim latest_run_registry::take(const std::string& thread)
{
    std::stop_source mine;
    std::stop_source before{std::nostopstate};
    std::uint64_t number = 0;
    {
        const std::lock_guard guard{shared_->lock};
        number = ++shared_->last;
        const auto [at, is_new] = shared_->places.try_emplace(thread, shared_state::place{number, mine});
        if (!is_new) {
            before = std::exchange(at->second.stop, mine);
            at->second.number = number;
        }
    }
    before.request_stop();  // its callbacks may come back here
    return claim{shared_, thread, number, std::move(mine)};
}

bool latest_run_registry::abort(const std::string& thread)
{
    std::stop_source stop{std::nostopstate};
    {
        const std::lock_guard guard{shared_->lock};
        const auto found = shared_->places.find(thread);
        if (found == shared_->places.end()) return false;
        stop = found->second.stop;
    }
    stop.request_stop();
    return true;
}

std::size_t latest_run_registry::size() const
{
    const std::lock_guard guard{shared_->lock};
    return shared_->places.size();
}

latest_run_registry::claim::claim(std::shared_ptr<shared_state> registry, std::string thread, std::uint64_t number,
                         std::stop_source stop)
    : registry_{std::move(registry)}, thread_{std::move(thread)}, number_{number}, stop_{std::move(stop)}
{
}

latest_run_registry::claim& latest_run_registry::claim::operator=(claim&& other) noexcept
{
    if (this == &other) return *this;
    release();
    registry_ = std::move(other.registry_);  // leaves the other one null: it has nothing to give back
    thread_ = std::move(other.thread_);
    number_ = other.number_;
    stop_ = std::move(other.stop_);
    return *this;
}

bool latest_run_registry::claim::is_current() const
{
    if (!registry_) return false;
    const std::lock_guard guard{registry_->lock};
    const auto found = registry_->places.find(thread_);
    return found != registry_->places.end() && found->second.number == number_;
}

void latest_run_registry::claim::release() noexcept
{
    const std::shared_ptr<shared_state> registry = std::exchange(registry_, nullptr);
    if (!registry) return;
    const std::lock_guard guard{registry->lock};
    const auto found = registry->places.find(thread_);
    // A newer claim has the place: only its owner may free it.
    if (found != registry->places.end() && found->second.number == number_) registry->places.erase(found);
}

}  // namespace weft
