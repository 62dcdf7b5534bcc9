#pragma once

#include "sim_client.hpp"

#include <weft/async/task.hpp>

namespace server_simulation {

// What clients do, each to its end. A script has a thread for itself; the others look on.

/** Streams runs, joins them again when the connection breaks, and reads each once more afterwards. */
[[nodiscard]] weft::task<void> play_streams(sim_client& me);
/** Waits for runs. */
[[nodiscard]] weft::task<void> play_waits(sim_client& me);
/** Begins runs and cancels them. */
[[nodiscard]] weft::task<void> play_cancels(sim_client& me);
/** Begins runs while others are under way, by each strategy. */
[[nodiscard]] weft::task<void> play_double_texts(sim_client& me);
/** Opens the stream of a loud run and reads nothing of it. */
[[nodiscard]] weft::task<void> play_silence(sim_client& me);
/** Speaks the second protocol over a WebSocket. */
[[nodiscard]] weft::task<void> play_socket(sim_client& me);
/** Tries what belongs to another tenant. */
[[nodiscard]] weft::task<void> play_intruder(sim_client& me);

}  // namespace server_simulation
