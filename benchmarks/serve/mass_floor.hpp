#pragma once

#include "stream/stream_server.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>

namespace weft_bench {

/** A relay as one writes it by hand with Beast and `asio::awaitable`: it asks a model over TLS for each request that
 *  comes, and hands the bytes on as they are, in chunks.
 *  @return  Its port, on the loopback address.
 *  @par Lifetimes   `upstream` outlives the context. */
std::uint16_t start_beast_relay(boost::asio::io_context& context, const stream_server& upstream);

}  // namespace weft_bench
