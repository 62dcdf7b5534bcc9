#include "host_lookup.hpp"

#include <weft/async/deadline.hpp>
#include <weft/async/slot_limiter.hpp>
#include <weft/base/error.hpp>

#include <boost/asio/ip/tcp.hpp>

#include <algorithm>

namespace weft::net_detail {

namespace {

namespace ip = boost::asio::ip;
using resolver = ip::basic_resolver<ip::tcp, loop_executor>;

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

/** One lookup, under way or done. The system's answer may come after everybody has lost interest. */
struct host_lookup::lookup {
    explicit lookup(serial_loop& loop) : started{loop.now()}, system{loop.executor()}, pending{*gate.try_acquire()} {}

    time_point started;
    resolver system;
    slot_limiter gate{1};  // whoever waits passes it, one after the other, when the lookup lets go of it
    slot_limiter::slot pending;
    addresses found;
    boost::system::error_code failure;
    bool is_done = false;

    void finish(const boost::system::error_code& code, const resolver::results_type& results)
    {
        is_done = true;
        failure = code;
        for (const auto& entry : results) found.push_back(entry.endpoint().address());
        found = chosen_addresses(found);
        pending.release();
    }
};

task<host_lookup::addresses> host_lookup::find(url target, time_point deadline)
{
    if (target.host_is_address()) co_return addresses{ip::make_address(target.host())};
    if (is_this_machine(target.host())) co_return addresses{ip::address_v4::loopback(), ip::address_v6::loopback()};
    forget_old_ones();
    std::shared_ptr<lookup> found = lookups_[target.host()];
    if (!found) found = start(target.host());
    errc cut_short{};
    try {
        if (!found->is_done) co_await with_deadline(wait_for(found), deadline - loop_.now());
    } catch (const error& e) {
        cut_short = e.code();
    }
    if (cut_short == errc::cancelled) throw error{cut_short, target.endpoint(), "during the name lookup"};
    if (cut_short == errc::timeout)
        throw error{errc::connect_timeout, target.endpoint(), "during the name lookup; check the name servers"};
    if (found->failure || found->found.empty()) {
        const std::string reason = found->failure ? found->failure.message() : "it has none";
        throw error{errc::resolve_failed, target.endpoint(), reason + "; check the host name and the network"};
    }
    co_return found->found;
}

task<void> host_lookup::wait_for(std::shared_ptr<lookup> pending)
{
    const slot_limiter::slot passed = co_await pending->gate.acquire();
}

std::shared_ptr<host_lookup::lookup> host_lookup::start(const std::string& host)
{
    auto started = std::make_shared<lookup>(loop_);
    lookups_[host] = started;
    started->system.async_resolve(host, "", [started](const boost::system::error_code& code, auto results) {
        started->finish(code, results);
    });
    return started;
}

/** Failures are forgotten at once, answers after a while; of too many hosts, all. */
void host_lookup::forget_old_ones()
{
    const time_point oldest = loop_.now() - kept_for;
    std::erase_if(lookups_, [&](const auto& entry) {
        const auto& l = entry.second;
        return !l || (l->is_done && (l->failure || l->started < oldest));
    });
    if (lookups_.size() >= hosts_max) lookups_.clear();
}

}  // namespace weft::net_detail
