#pragma once

#include <weft/graph/graph.hpp>
#include <weft/serve/server_options.hpp>

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <vector>

namespace weft_bench {

/** The graph of `serve_run_wait`. */
[[nodiscard]] weft::graph two_nodes();

/** Serves graphs from memory on the calling OS thread, as long as that lasts.
 *  @return  The port, on the loopback address. */
std::uint16_t start_server(boost::asio::io_context& context, std::vector<weft::served_graph> graphs);

/** Serves `two_nodes`, as the assistant `two`, in the same way.
 *  @return  Its port, on the loopback address. */
std::uint16_t start_two_nodes(boost::asio::io_context& context);

/** What `--serve` does, for load programs from outside: serves the graph of `serve_run_wait`, as the assistant `two`,
 *  until the process is ended. Prints the address. */
void serve_two_nodes();

}  // namespace weft_bench
