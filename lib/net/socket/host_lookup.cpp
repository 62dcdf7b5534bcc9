#include "host_lookup.hpp"

#include "name_query.hpp"

#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>

#include <algorithm>
#include <utility>

namespace weft::net_detail {

namespace {

namespace ip = boost::asio::ip;

/** RFC 6761, section 6.3: such a name is this machine, whatever name servers say; a bare system cannot look it up. */
bool is_this_machine(std::string_view host) { return host == "localhost" || host.ends_with(".localhost"); }

}  // namespace

host_lookup::addresses chosen_addresses(const host_lookup::addresses& found)
{
    host_lookup::addresses of_family[2];  // that of the first address, and the other
    for (const ip::address& address : found) {
        host_lookup::addresses& family = of_family[address.is_v6() == found.front().is_v6() ? 0 : 1];
        if (std::find(family.begin(), family.end(), address) == family.end()) family.push_back(address);
    }
    host_lookup::addresses chosen;
    for (std::size_t i = 0; i < std::max(of_family[0].size(), of_family[1].size()); ++i)
        for (const host_lookup::addresses& family : of_family)
            if (i < family.size() && chosen.size() < host_lookup::addresses_max) chosen.push_back(family[i]);
    return chosen;
}

/** One lookup, under way or done. */
struct host_lookup::lookup {
    lookup(serial_loop& loop, std::string host, slot_limiter::slot place)
        : host{std::move(host)}, started{loop.now()}, place{std::move(place)}, pending{*gate.try_acquire()},
          query{loop, [](void* self) { static_cast<lookup*>(self)->finish(); }, this}
    {
    }
    lookup(const lookup&) = delete;
    lookup& operator=(const lookup&) = delete;

    std::string host;
    time_point started;
    slot_limiter::slot place;
    slot_limiter gate{1};  // those who wait pass it, one after the other, when the lookup lets go of it
    slot_limiter::slot pending;
    std::size_t interested = 0;
    bool is_done = false;
    name_query query;

    void finish()
    {
        is_done = true;
        place.release();
        pending.release();
    }
    [[nodiscard]] bool has_failed() const noexcept { return is_done && query.found().empty(); }
};

/** The interest of one coroutine in a lookup; when the last one leaves, the lookup ends. */
class host_lookup::interest {
public:
    interest(host_lookup& owner, lookup_ptr wanted) noexcept : owner_{owner}, wanted_{std::move(wanted)}
    {
        ++wanted_->interested;
    }
    interest(const interest&) = delete;
    interest& operator=(const interest&) = delete;
    ~interest()
    {
        if (--wanted_->interested == 0 && !wanted_->is_done) owner_.abandon(*wanted_);
    }

private:
    host_lookup& owner_;
    lookup_ptr wanted_;
};

task<host_lookup::addresses> host_lookup::find(url target, time_point deadline)
{
    if (target.host_is_address()) co_return addresses{ip::make_address(target.host())};
    if (is_this_machine(target.host())) co_return addresses{ip::address_v4::loopback(), ip::address_v6::loopback()};
    lookup_ptr found = known(target.host());
    errc cut_short{};
    if (!found || !found->is_done) {
        try {
            lookup_ptr answered = co_await with_deadline(look_up(target.host()), deadline - loop_.now());
            found = std::move(answered);
        } catch (const error& e) {
            cut_short = e.code();
        }
    }
    if (cut_short == errc::cancelled) throw error{cut_short, target.endpoint(), "during the name lookup"};
    if (cut_short == errc::timeout || (cut_short == errc{} && found->query.is_unanswered()))
        throw error{errc::connect_timeout, target.endpoint(), "during the name lookup; check the name servers"};
    if (found->has_failed())
        throw error{errc::resolve_failed, target.endpoint(),
                    found->query.failure() + "; check the host name and the network"};
    co_return chosen_addresses(found->query.found());
}

/** The lookup of a host, when it is done: the one that is under way, or a new one once there is a place for it. */
task<host_lookup::lookup_ptr> host_lookup::look_up(std::string host)
{
    lookup_ptr wanted = known(host);
    if (!wanted) {
        slot_limiter::slot place = co_await places_.acquire();
        forget_old_ones();
        wanted = known(host);
        if (!wanted) wanted = start(host, std::move(place));
    }
    const interest mine{*this, wanted};
    if (!wanted->is_done) {
        const slot_limiter::slot passed = co_await wanted->gate.acquire();
    }
    co_return wanted;
}

/** Of this name, under way, or done well and not long ago. */
host_lookup::lookup_ptr host_lookup::known(const std::string& host) const
{
    const auto at = lookups_.find(host);
    if (at == lookups_.end()) return nullptr;
    const lookup& found = *at->second;
    const bool is_old = found.is_done && (found.has_failed() || found.started < loop_.now() - lifetime);
    return is_old ? nullptr : at->second;
}

host_lookup::lookup_ptr host_lookup::start(const std::string& host, slot_limiter::slot place)
{
    auto started = std::make_shared<lookup>(loop_, host, std::move(place));
    lookups_[host] = started;
    started->query.start(host, options_.name_servers);
    return started;
}

void host_lookup::abandon(const lookup& left) noexcept
{
    const auto at = lookups_.find(left.host);
    if (at != lookups_.end() && at->second.get() == &left) lookups_.erase(at);
}

/** Failures are forgotten at once, answers after a while; of too many hosts, all answers. */
void host_lookup::forget_old_ones()
{
    const bool are_many = lookups_.size() >= hosts_max;
    const time_point oldest = loop_.now() - lifetime;
    std::erase_if(lookups_, [&](const auto& entry) {
        const lookup& each = *entry.second;
        return each.is_done && (are_many || each.has_failed() || each.started < oldest);
    });
}

}  // namespace weft::net_detail
