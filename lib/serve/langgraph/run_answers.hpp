#pragma once

#include "serve/feed/run_feed.hpp"
#include "serve/http/api_call.hpp"
#include "serve/run/serve_core.hpp"
#include "serve/wire/stream_frames.hpp"

#include <weft/async/task.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace weft::serve_detail {

/** A client that follows a run. */
struct run_follower {
    run_follower() {}

    std::shared_ptr<run_feed> feed = {};
    std::optional<thread_key> thread = {};  ///< Nothing: the run is not kept.
    std::shared_ptr<void> watch = {};       ///< Of a run that may be on another loop.
    stream_view view = {};
    std::uint64_t after = 0;                ///< The id of the event behind which it reads.
    std::uint64_t seen = 0;                 ///< The id of the last frame that it has got, perhaps the first of several.
    bool is_start = false;                  ///< The client has begun the run, and is told its id.
    bool stops_with_client = false;
};

/** Answers with the events of a run as they come, until it is over or waits. */
[[nodiscard]] task<void> stream_run(serve_core& core, api_call& call, run_follower follower);

/** Answers with the values that a run leaves. A client that waits for long gets blanks meanwhile, so that no proxy
 *  closes the connection. */
[[nodiscard]] task<void> wait_for_run(serve_core& core, api_call& call, run_follower follower);

}  // namespace weft::serve_detail
