#pragma once

#include "serve/http/api_call.hpp"
#include "serve/order/run_following.hpp"
#include "serve/run/serve_core.hpp"
#include "serve/wire/stream_frames.hpp"

#include <weft/async/task.hpp>

#include <cstdint>

namespace weft::serve_detail {

/** A client of LangGraph's first protocol that follows a run. */
struct langgraph_follower : run_follower {
    stream_view view = {};
    std::uint64_t seen = 0;         ///< The id of the last frame that it has got, perhaps the first of several.
    bool is_start = false;          ///< The client has begun the run, and gets its id.
};

/** Answers with the events of a run as they come, until it is over or waits. */
[[nodiscard]] task<void> stream_for_langgraph(serve_core& core, api_call& call, langgraph_follower follower);

/** Answers with the values that a run leaves. A client that waits for long gets blanks meanwhile, so that no proxy
 *  closes the connection. */
[[nodiscard]] task<void> wait_for_langgraph(serve_core& core, api_call& call, langgraph_follower follower);

}  // namespace weft::serve_detail
