#pragma once

#include "net/socket/host_lookup.hpp"
#include "net/tls/tls_context.hpp"

#include <weft/base/error.hpp>
#include <weft/net/connection/connector.hpp>
#include <weft/net/http_client_options.hpp>

#include <functional>

namespace weft::net_detail {

/** The connector to the real world: name lookup, TCP, a proxy's tunnel, TLS. */
class socket_connector final : public connector {
public:
    /** @param tls   Gives the client's TLS context; called for https only, because making one needs trusted roots. */
    socket_connector(serial_loop& loop, std::shared_ptr<const http_client_options> options,
                     std::function<std::shared_ptr<tls_context>()> tls)
        : loop_{loop}, lookup_{loop, lookup_options(*options)}, options_{std::move(options)}, tls_{std::move(tls)}
    {
    }

    task<std::shared_ptr<transport>> open(url target, std::chrono::nanoseconds limit) override;

private:
    static host_lookup_options lookup_options(const http_client_options& options);
    task<std::shared_ptr<transport>> open_directly(url target, time_point deadline);
    task<std::shared_ptr<transport>> open_through(const proxy_server& proxy, url target, time_point deadline);
    task<std::shared_ptr<transport>> open_to_proxy(const proxy_server& proxy, time_point deadline);

    serial_loop& loop_;
    host_lookup lookup_;
    std::shared_ptr<const http_client_options> options_;
    std::function<std::shared_ptr<tls_context>()> tls_;
};

}  // namespace weft::net_detail
