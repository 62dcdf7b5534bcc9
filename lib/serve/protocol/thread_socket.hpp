#pragma once

#include "serve/feed/thread_tape.hpp"
#include "serve/run/serve_core.hpp"
#include "thread_commands.hpp"
#include "thread_frames.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/task.hpp>
#include <weft/net/server/websocket_session.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace weft::serve_detail {

/** The second protocol over a WebSocket: commands of a client and their answers, and the events of its subscriptions to
 *  one thread, each a message of its own.
 *
 *      → {"id": 1, "method": "subscription.subscribe", "params": {"channels": ["values"]}}
 *      ← {"type": "success", "id": 1, "result": {"subscription_id": "1"}, …}
 *      ← {"type": "event", "event_id": …, "seq": 35, "method": "values", "params": {…}}
 *
 *  An event that several subscriptions want is sent once. A new subscription gets what has happened before, from
 *  `since` on, also if another one has had it: clients know events by their `event_id`. The answer to the subscription
 *  follows then, because the SDK stops reading one whose run is over and that has no event yet. A client that does not
 *  read makes its events wait, in the tape of the thread, until it reads or is given up.
 *
 *  @par Lifetimes   The core outlives it, and so does what `caller` refers to.
 *  @par Source      The agent streaming protocol of LangGraph, version 0.0.21, and `ProtocolWebSocketTransportAdapter`
 *                   of its SDK in JavaScript. */
class thread_socket {
public:
    thread_socket(serve_core& core, websocket_session session, command_caller caller);

    /** Serves the client until the conversation ends. */
    [[nodiscard]] task<void> run();

private:
    [[nodiscard]] task<void> take_commands();
    [[nodiscard]] task<boost::json::object> answer(std::string message);
    [[nodiscard]] task<std::optional<boost::json::object>> own_command(std::string method, boost::json::object params);
    [[nodiscard]] task<boost::json::object> subscribe(boost::json::object params);
    [[nodiscard]] boost::json::object unsubscribe(const boost::json::object& params);
    [[nodiscard]] bool append_past(std::string& lines, tape_reader& past, thread_frames& frames);
    [[nodiscard]] task<void> tell_events();
    [[nodiscard]] task<void> send_events();
    [[nodiscard]] task<std::size_t> send_lines(std::string lines);

    serve_core& core_;
    websocket_session session_;
    command_caller caller_;
    std::shared_ptr<thread_tape> tape_;    // from the first subscription on
    std::optional<thread_frames> frames_;  // for all subscriptions; from the first one on
    std::optional<tape_reader> reader_;    // what they have all had
    std::size_t subscriptions_ = 0;
    std::uint64_t last_id_ = 0;
    scope* children_ = nullptr;
};

}  // namespace weft::serve_detail
