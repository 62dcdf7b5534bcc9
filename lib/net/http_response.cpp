#include <weft/net/http_response.hpp>

#include "http_exchange.hpp"

namespace weft {

http_response::http_response(std::unique_ptr<net_detail::http_exchange> exchange) noexcept
    : exchange_{std::move(exchange)}
{
}
http_response::http_response(http_response&&) noexcept = default;
http_response& http_response::operator=(http_response&&) noexcept = default;
http_response::~http_response() = default;

const http_response_head& http_response::head() const noexcept { return exchange_->head(); }

task<std::string_view> http_response::read_some() { return exchange_->read_some(); }

task<std::string> http_response::read_all(std::size_t bytes_max) { return exchange_->read_all(bytes_max); }

task<std::string> http_response::read_at_most(std::size_t bytes_max) { return exchange_->read_at_most(bytes_max); }

task<bool> http_response::drain(std::size_t bytes_max, std::chrono::nanoseconds time_max)
{
    return exchange_->drain(bytes_max, time_max);
}

bool http_response::is_complete() const noexcept { return exchange_->is_complete(); }

void http_response::close() noexcept { exchange_->close(); }

}  // namespace weft
