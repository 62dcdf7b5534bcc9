#pragma once

namespace weft_bench {

/** So many coroutines on Asio, each with a timer that a stop from another OS thread cancels.
 *  @return Milliseconds from the stop to the last one's end. */
[[nodiscard]] double time_stop_by_hand(int count);

}  // namespace weft_bench
