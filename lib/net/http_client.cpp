#include <weft/net/http_client.hpp>

#include "client_core.hpp"
#include "http_exchange.hpp"

#include <utility>

namespace weft {

namespace {

using net_detail::client_core;
using net_detail::connection_lease;
using net_detail::connection_pool;
using net_detail::http_exchange;

void check_secrets(const http_request& request, const http_client_options& options)
{
    const url& target = request.target();
    const bool stays_here = target.host_is_loopback() && !options.proxy().find(target);
    const bool is_private = target.is_https() || stays_here || options.secrets_without_tls();
    if (is_private || request.secrets().empty()) return;
    throw error{errc::invalid_configuration, target.endpoint(),
                "the request has a secret (" + request.secrets().front().name +
                    ") and would go over http:// to another machine; use https://"};
}

task<http_response> send_request(std::shared_ptr<client_core> core, http_request request)
{
    check_secrets(request, *core->options());
    serial_loop& loop = co_await this_task::loop();
    const std::shared_ptr<connection_pool> pool = core->pool_of(loop);
    const auto connect_max = request.timeouts().value_or(core->options()->timeouts()).connect();
    auto choice = connection_pool::choice::any;
    for (;;) {
        connection_lease lease = co_await pool->acquire(request.target(), connect_max, choice);
        auto exchange = std::make_unique<http_exchange>(std::move(lease), core->options(), request);
        std::optional<error> failure = co_await exchange->perform(request);
        if (!failure) co_return http_response{std::move(exchange)};
        if (failure->code() != errc::connection_lost || !exchange->found_dead_connection()) throw error{*failure};
        request.body(exchange->take_body());
        ++core->counters()->repeated;
        choice = connection_pool::choice::fresh;
    }
}

}  // namespace

struct http_client::handle {
    std::shared_ptr<client_core> core;
    ~handle() { core->release_pools(); }
};

http_client::http_client(http_client_options options) : http_client{std::move(options), connector_factory{}} {}

http_client::http_client(http_client_options options, connector_factory connects)
    : handle_{std::make_shared<const handle>(
          std::make_shared<client_core>(std::move(options), std::move(connects)))}
{
}

task<http_response> http_client::send(http_request request) const
{
    return send_request(handle_->core, std::move(request));
}

http_client_counts http_client::counts() const noexcept { return handle_->core->counters()->values(); }

}  // namespace weft
