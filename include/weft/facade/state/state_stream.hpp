#pragma once

#include <weft/chat/message.hpp>
#include <weft/facade/state_graph.hpp>
#include <weft/graph/state/state.hpp>

#include <boost/describe/enum.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace weft {

/** How much a streamed run tells, in PyAgenity's words. */
enum class stream_granularity : std::uint8_t {
    low,      ///< Messages and errors.
    partial,  ///< Messages, errors, and the conversation after each node.
    full,     ///< Messages, errors, and the whole state after each node.
};
BOOST_DESCRIBE_ENUM(stream_granularity, low, partial, full)

/** What a chunk is. */
enum class stream_chunk_kind : std::uint8_t {
    message,  ///< `message`: a piece of text while a node works, with `is_delta`, or a message that was added.
    state,    ///< `state`, after a node.
    error,    ///< `text`: why the run ends.
    updates,  ///< The last one of a run that did not fail: `state` at its end, and its status as `text`.
};
BOOST_DESCRIBE_ENUM(stream_chunk_kind, message, state, error, updates)

/** A piece of what a run tells. */
struct stream_chunk {
    stream_chunk_kind kind = stream_chunk_kind::message;
    std::optional<weft::message> message{};
    bool is_delta = false;
    std::optional<weft::state> state{};  ///< With `partial` the keys but for the conversation have no values.
    std::string text{};
    std::string node{};  ///< Where the run is: `execution_meta::current_node`; of a delta the node that said it.
    std::string thread_id{};
};

/** Runs a thread as `compiled_state_graph::invoke` and tells of it on the way.
 *
 *  @param on_chunk   Called on the run's loop; what it throws fails the run.
 *  @return           As `invoke`: a run ends in the same way whether it is streamed or not.
 *  @par Errors          As `invoke`, behind a chunk of the kind `error`.
 *  @par Cancellation    As `invoke`. */
[[nodiscard]] task<state_result> stream_state(compiled_state_graph graph, state_request request,
                                              stream_granularity how,
                                              std::function<void(const stream_chunk&)> on_chunk);

}  // namespace weft
