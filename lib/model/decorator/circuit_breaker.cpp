#include <weft/model/decorator/circuit_breaker.hpp>

namespace weft {

std::optional<circuit_breaker::ticket> circuit_breaker::try_enter(time_point now)
{
    const std::lock_guard guard{lock_};
    if (!open_until_) return ticket{age_, false};
    // One probe at a time: an endpoint that comes back must not meet all that waited.
    if (now < *open_until_ || is_probing_) return std::nullopt;
    is_probing_ = true;
    return ticket{age_, true};
}

void circuit_breaker::on_success(const ticket& call)
{
    const std::lock_guard guard{lock_};
    // A call of before the breaker opened or closed says nothing about now.
    if (call.age_ != age_) return;
    failures_.clear();
    if (!call.is_probe_) return;
    open_until_.reset();
    is_probing_ = false;
    ++age_;
}

void circuit_breaker::on_failure(const ticket& call, time_point now)
{
    const std::lock_guard guard{lock_};
    if (call.age_ != age_) return;
    if (call.is_probe_) return open(now);
    failures_.push_back(now);
    // Failures of long ago say nothing about now.
    std::erase_if(failures_, [&](time_point failed) { return now - failed > options_.window; });
    if (failures_.size() >= static_cast<std::size_t>(options_.failures_max)) open(now);
}

void circuit_breaker::abandon(const ticket& call)
{
    const std::lock_guard guard{lock_};
    // The probe was torn down without an outcome: the next call is one.
    if (call.age_ == age_ && call.is_probe_) is_probing_ = false;
}

void circuit_breaker::open(time_point now)
{
    failures_.clear();
    open_until_ = now + options_.open_for;
    is_probing_ = false;
    ++age_;
}

circuit_breaker::state circuit_breaker::state_at(time_point now) const
{
    const std::lock_guard guard{lock_};
    if (!open_until_) return state::closed;
    return now < *open_until_ ? state::open : state::half_open;
}

std::optional<time_point> circuit_breaker::probes_at() const
{
    const std::lock_guard guard{lock_};
    return open_until_;
}

}  // namespace weft
