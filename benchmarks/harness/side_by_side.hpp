#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>

namespace weft_bench {

/** What is run beside other systems: so many threads at once, so many steps of each, a checkpoint after every step. */
struct side_by_side_load {
    std::string store;  ///< As `open_store` takes it.
    int threads = 64;
    std::uint32_t steps = 100;
};

/** Runs the load: each step counts and adds a message of 200 bytes, and every thread waits before its last node. Then
 *  reads one thread's newest state and its whole history, each state of it, and lets threads go on.
 *  @return  The object that the programs in `rivals/` print as well. */
[[nodiscard]] boost::json::object measure_side_by_side(const side_by_side_load& load);

}  // namespace weft_bench
