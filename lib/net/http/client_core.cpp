#include "client_core.hpp"

#include "net/connection/socket_connector.hpp"

#include <weft/async/loop/loop_executor.hpp>
#include <weft/base/error.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace weft::net_detail {

/** The pool of one loop, deleted with the loop. */
class client_core::pool_guest final : public loop_guest {
public:
    pool_guest(std::shared_ptr<client_core> core, std::shared_ptr<connection_pool> pool) noexcept
        : core{std::move(core)}, pool{std::move(pool)}
    {
    }
    ~pool_guest() override
    {
        core->forget(*this);
        pool->close_idle();
    }

    std::shared_ptr<client_core> core;
    std::shared_ptr<connection_pool> pool;
};

/** Asks a loop to let go of a pool; runs there, or in the loop's destructor. */
struct client_core::release_request final : remote_item {
    release_request(std::shared_ptr<client_core> core, const serial_loop& loop) noexcept
        : remote_item{[](remote_item& self) {
              const std::unique_ptr<release_request> request{static_cast<release_request*>(&self)};
              request->core->release_pool_of(request->loop);
          }},
          core{std::move(core)}, loop{loop}
    {
    }
    std::shared_ptr<client_core> core;
    const serial_loop& loop;
};

namespace {

/** The options, if their values make sense: all that is wrong stands in one error. */
http_client_options checked(http_client_options options)
{
    std::string wrong;
    const auto at_least_one = [&](std::string_view name, std::size_t value) {
        if (value == 0) wrong.append(wrong.empty() ? "" : "; ").append(name).append(" must be at least 1");
    };
    at_least_one("connections_max", options.connections_max);
    at_least_one("lookups_max", options.lookups_max);
    if (!wrong.empty()) throw error{errc::invalid_configuration, "http_client_options", std::move(wrong)};
    if (!options.user_agent.empty()) check_header("User-Agent", options.user_agent);
    return options;
}

}  // namespace

client_core::client_core(http_client_options options, http_client::connector_factory connects)
    : options_{std::make_shared<const http_client_options>(checked(std::move(options)))},
      connector_factory_{std::move(connects)}
{
    // A CA or certificate that was named and cannot be used is a mistake to be told at once. The system's roots are
    // looked for when they are needed: a client for http:// works without.
    const tls_options& named = options_->tls;
    if (!named.uses_system_roots() || named.has_certificate() || named.has_key()) (void)tls();
}

std::shared_ptr<connection_pool> client_core::pool_of(serial_loop& loop)
{
    const std::lock_guard lock{mutex_};
    for (const pool_guest* guest : guests_)
        if (&guest->pool->loop() == &loop) return guest->pool;

    std::unique_ptr<connector> connects;
    if (connector_factory_)
        connects = connector_factory_(loop);
    else
        connects = std::make_unique<socket_connector>(loop, options_,
                                                      [core = weak_from_this()] { return core.lock()->tls(); });
    auto pool = std::make_shared<connection_pool>(loop, options_, counters_, std::move(connects));
    auto guest = std::make_unique<pool_guest>(shared_from_this(), pool);
    guests_.push_back(guest.get());
    loop.adopt(*guest.release());
    return pool;
}

std::shared_ptr<tls_context> client_core::tls()
{
    const std::lock_guard lock{mutex_};
    if (!tls_) tls_ = std::make_shared<tls_context>(options_->tls);
    return tls_;
}

void client_core::release_pools()
{
    std::vector<const serial_loop*> here;
    {
        // While it is locked, no guest can leave, so that its loop is still there.
        const std::lock_guard lock{mutex_};
        for (const pool_guest* guest : guests_) {
            serial_loop& loop = guest->pool->loop();
            if (loop.executor().running_in_this_thread())
                here.push_back(&loop);
            else
                loop.post(*new release_request{shared_from_this(), loop});
        }
    }
    for (const serial_loop* loop : here) release_pool_of(*loop);
}

void client_core::release_pool_of(const serial_loop& loop) noexcept
{
    std::unique_ptr<pool_guest> released;
    const std::lock_guard lock{mutex_};
    for (pool_guest* guest : guests_)
        if (&guest->pool->loop() == &loop) released.reset(guest);
}

void client_core::forget(const pool_guest& guest) noexcept
{
    const std::lock_guard lock{mutex_};
    guests_.erase(std::find(guests_.begin(), guests_.end(), &guest));
}

}  // namespace weft::net_detail
