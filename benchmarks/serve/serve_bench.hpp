#pragma once

#include <boost/asio/io_context.hpp>

#include <cstdint>

namespace weft_bench {

/** Serves the graph of `serve_run_wait`, as the assistant `two`, on the calling OS thread as long as that lasts.
 *  @return  Its port, on the loopback address. */
std::uint16_t start_two_nodes(boost::asio::io_context& context);

/** What `--serve` does, for load programs from outside: serves the graph of `serve_run_wait`, as the assistant `two`,
 *  until the process is ended. Prints the address. */
void serve_two_nodes();

}  // namespace weft_bench
