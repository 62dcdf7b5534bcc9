#include <weft/net/server/http_call.hpp>

#include "server_connection.hpp"

#include <utility>

namespace weft {

const http_request_head& http_call::head() const noexcept { return connection_.head(); }

const std::string& http_call::peer() const noexcept { return connection_.peer(); }

bool http_call::is_tls() const noexcept { return connection_.tls() != nullptr; }

const client_identity* http_call::client_certificate() const noexcept
{
    const net_detail::tls_server_transport* const tls = connection_.tls();
    return tls && tls->identity() ? &*tls->identity() : nullptr;
}

bool http_call::is_draining() const noexcept { return connection_.core().is_draining(); }

task<std::string> http_call::read_body(std::optional<std::uint64_t> bytes_max)
{
    return connection_.read_body(bytes_max);
}

task<void> http_call::reply(http_reply answer) { return connection_.reply(std::move(answer)); }

task<void> http_call::start_stream(int status, std::string_view content_type, http_headers headers)
{
    return connection_.start_stream(status, content_type, std::move(headers));
}

void http_call::begin_stream(int status, std::string_view content_type, const http_headers& headers)
{
    connection_.begin_stream(status, content_type, headers);
}

task<void> http_call::flush() { return connection_.flush(); }

task<void> http_call::write(std::string_view bytes) { return connection_.write_piece(bytes); }

task<void> http_call::end_stream(std::string_view last) { return connection_.end_stream(last); }

task<websocket_session> http_call::accept_websocket(websocket_options options)
{
    return connection_.accept_websocket(std::move(options));
}

void http_call::stop_when_gone() { connection_.watch_client(); }

void http_call::close_afterwards() noexcept { connection_.close_afterwards(); }

void http_call::never_compress() noexcept { connection_.never_compress(); }

void http_call::always_send(http_headers headers) { connection_.always_send(std::move(headers)); }

bool http_call::is_gone() const noexcept { return connection_.is_gone(); }

bool http_call::is_streaming() const noexcept { return connection_.is_streaming(); }

bool http_call::has_answered() const noexcept { return connection_.has_answered(); }

}  // namespace weft
