#pragma once

#include <boost/asio/io_context.hpp>

#include <cstdint>

namespace weft_bench {

/** A server as one writes it by hand with Beast and `asio::awaitable`: it sends a body back, or a few bytes for a GET.
 *  @return  Its port, on the loopback address. */
std::uint16_t start_beast_server(boost::asio::io_context& context);

}  // namespace weft_bench
