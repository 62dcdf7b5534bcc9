#include "connection_pool.hpp"

#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace weft::net_detail {

namespace {

task<slot_limiter::slot> stand_in_line(slot_limiter& slots)
{
    slot_limiter::slot slot = co_await slots.acquire();
    co_return slot;
}

}  // namespace

connection_pool::connection_pool(serial_loop& loop, std::shared_ptr<const http_client_options> options,
                                 std::shared_ptr<pool_counters> counters, std::unique_ptr<connector> connects)
    : loop_{loop}, options_{std::move(options)}, counters_{std::move(counters)}, connector_{std::move(connects)},
      reaper_{loop, [](void* self) { static_cast<connection_pool*>(self)->reap(); }, this}
{
}

task<connection_lease> connection_pool::acquire(url target, std::chrono::nanoseconds limit, choice which)
{
    origin& where = origin_of(target);
    std::optional<slot_limiter::slot> slot = where.slots.try_acquire();
    if (!slot) slot = co_await wait_for_slot(where, target.endpoint());
    connection_lease lease{shared_from_this(), where, std::move(*slot)};
    arm_reaper();
    if (which == choice::any) lease.held_ = take_idle(where);
    if (lease.held_) {
        lease.is_reused_ = true;
        ++counters_->reused;
        co_return lease;
    }
    // Someone who wants a fresh one may find unused ones besides: together they are no more than allowed.
    if (where.in_use() + where.idle.size() > options_->connections_max) drop_first_idle(where);
    std::shared_ptr<transport> wire = co_await connector_->open(target, limit);
    lease.held_ = std::make_shared<connection>(loop_, std::move(wire), target.endpoint(), counters_);
    co_return lease;
}

task<slot_limiter::slot> connection_pool::wait_for_slot(origin& where, std::string endpoint)
{
    const auto keep = shared_from_this();
    if (where.slots.waiting() >= options_->waiting_max)
        throw error{errc::limit_reached, endpoint, "too many requests wait for a connection (waiting_max)"};
    errc failure{};
    try {
        slot_limiter::slot slot = co_await with_deadline(stand_in_line(where.slots), options_->waiting_time_max);
        co_return slot;
    } catch (const error& e) {
        failure = e.code();
    }
    if (failure == errc::cancelled) throw error{failure, endpoint, "while waiting for a connection"};
    throw error{errc::limit_reached, endpoint,
                "no connection became free in time (connections_max, waiting_time_max)"};
}

connection_pool::origin& connection_pool::origin_of(const url& target)
{
    std::string name = target.origin();
    if (const proxy_server* proxy = options_->proxy_for(target))
        name.append(" through ").append(proxy->address().origin());
    const auto found = origins_.find(name);
    if (found != origins_.end()) return *found->second;
    auto made = std::make_unique<origin>(name, options_->connections_max);
    return *origins_.emplace(std::move(name), std::move(made)).first->second;
}

/** The unused connection that was used last: it is the likeliest to be alive, and the others may grow old. */
std::shared_ptr<connection> connection_pool::take_idle(origin& from)
{
    const time_point oldest = loop_.now() - options_->idle_time_max;
    while (!from.idle.empty()) {
        idle_connection last = std::move(from.idle.back());
        from.idle.pop_back();
        --idle_;
        --counters_->idle;
        if (last.since > oldest && last.held->is_reusable()) return std::move(last.held);
    }
    return nullptr;
}

void connection_pool::put_idle(origin& to, std::shared_ptr<connection> unused)
{
    if (options_->idle_max == 0 || options_->idle_total_max == 0) return;
    if (to.idle.size() >= options_->idle_max) drop_first_idle(to);
    if (idle_ >= options_->idle_total_max) drop_oldest_idle();
    unused->deadline().rest();
    to.idle.push_back({std::move(unused), loop_.now()});
    ++idle_;
    ++counters_->idle;
}

void connection_pool::drop_first_idle(origin& from) noexcept
{
    if (from.idle.empty()) return;
    from.idle.erase(from.idle.begin());
    --idle_;
    --counters_->idle;
}

void connection_pool::drop_oldest_idle() noexcept
{
    origin* oldest = nullptr;
    for (const auto& [name, o] : origins_)
        if (!o->idle.empty() && (!oldest || o->idle.front().since < oldest->idle.front().since)) oldest = o.get();
    if (oldest) drop_first_idle(*oldest);
}

void connection_pool::close_idle() noexcept
{
    for (const auto& [name, o] : origins_)
        while (!o->idle.empty()) drop_first_idle(*o);
    forget_unused();
}

void connection_pool::lease_ended(origin& where) noexcept
{
    forget_if_unused(where);
    if (--leases_ == 0) reaper_.disarm();
}

void connection_pool::forget_if_unused(origin& where) noexcept
{
    if (where.is_unused()) origins_.erase(origins_.find(where.name));
}

void connection_pool::forget_unused() noexcept
{
    std::erase_if(origins_, [](const auto& entry) { return entry.second->is_unused(); });
}

void connection_pool::reap()
{
    const time_point oldest = loop_.now() - options_->idle_time_max;
    for (const auto& [name, o] : origins_)
        while (!o->idle.empty() && o->idle.front().since <= oldest) drop_first_idle(*o);
    forget_unused();
    arm_reaper();
}

void connection_pool::arm_reaper()
{
    if (reaper_.is_armed() || idle_ == 0 || leases_ == 0) return;
    time_point first = time_point::max();
    for (const auto& [name, o] : origins_)
        if (!o->idle.empty()) first = std::min(first, o->idle.front().since);
    reaper_.arm_at(first + options_->idle_time_max);
}

connection_lease::connection_lease(std::shared_ptr<connection_pool> pool, connection_pool::origin& origin,
                                   slot_limiter::slot slot) noexcept
    : pool_{std::move(pool)}, origin_{&origin}, slot_{std::move(slot)}
{
    ++pool_->leases_;
}

connection_lease& connection_lease::operator=(connection_lease other) noexcept
{
    std::swap(pool_, other.pool_);
    std::swap(origin_, other.origin_);
    std::swap(slot_, other.slot_);
    std::swap(held_, other.held_);
    std::swap(is_reused_, other.is_reused_);
    return *this;
}

void connection_lease::end(bool is_reusable) noexcept
{
    if (!pool_) return;
    const auto pool = std::move(pool_);
    const auto held = std::move(held_);
    if (held && is_reusable)
        pool->put_idle(*origin_, held);
    else if (held)
        held->close();
    slot_.release();
    pool->lease_ended(*origin_);
}

}  // namespace weft::net_detail
