#include <weft/net/http_server.hpp>

#include "server_core.hpp"
#include "socket_acceptor.hpp"

#include <utility>

namespace weft {

http_server::http_server(serial_loop& loop, handler_function handler, http_server_options options)
    : core_{std::make_shared<net_detail::server_core>(loop, std::move(handler), std::move(options))}
{
}

http_server::~http_server() { core_->close(); }

listen_address http_server::listen(const listen_address& at)
{
    net_detail::listening opened =
        net_detail::listen_on_socket(core_->loop(), at, core_->options().send_buffer_bytes);
    core_->add_source(std::move(opened.source));
    return opened.at;
}

listen_address http_server::listen(const listen_address& at, tls_server_options tls)
{
    const auto context = std::make_shared<net_detail::tls_server_context>(std::move(tls));
    net_detail::listening opened =
        net_detail::listen_on_socket(core_->loop(), at, core_->options().send_buffer_bytes, context);
    core_->add_source(std::move(opened.source), context);
    return opened.at;
}

void http_server::reload_tls() { core_->reload_tls(); }

void http_server::listen_on(std::shared_ptr<net_detail::acceptor> source) { core_->add_source(std::move(source)); }

task<void> http_server::run() { return net_detail::server_core::run(core_); }

void http_server::drain() { core_->drain(); }

serial_loop& http_server::loop() const noexcept { return core_->loop(); }

http_server_counts http_server::counts() const noexcept { return core_->counts(); }

}  // namespace weft
