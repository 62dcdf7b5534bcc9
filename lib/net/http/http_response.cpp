#include <weft/net/http_response.hpp>

#include "net/connection/response_source.hpp"

namespace weft {

http_response::http_response(std::unique_ptr<net_detail::response_source> source) noexcept
    : source_{std::move(source)}
{
}
http_response::http_response(http_response&&) noexcept = default;
http_response& http_response::operator=(http_response&&) noexcept = default;
http_response::~http_response() = default;

const http_response_head& http_response::head() const noexcept { return source_->head(); }

task<std::string_view> http_response::read_some() { return source_->read_some(); }

task<std::string> http_response::read_all(std::size_t bytes_max) { return source_->read_all(bytes_max); }

task<std::string> http_response::read_at_most(std::size_t bytes_max) { return source_->read_at_most(bytes_max); }

task<bool> http_response::drain(std::size_t bytes_max, std::chrono::nanoseconds time_max)
{
    return source_->drain(bytes_max, time_max);
}

bool http_response::is_complete() const noexcept { return source_->is_complete(); }

void http_response::close() noexcept { source_->close(); }

}  // namespace weft
