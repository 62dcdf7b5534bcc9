#pragma once

namespace weft_bench {

/** What `--serve` does, for load programs from outside: serves the graph of `serve_run_wait`, as the assistant `two`,
 *  until the process is ended. Prints the address. */
void serve_two_nodes();

}  // namespace weft_bench
