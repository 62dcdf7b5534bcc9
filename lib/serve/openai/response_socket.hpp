#pragma once

#include "response_request.hpp"
#include "response_writer.hpp"
#include "serve/http/api_call.hpp"
#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/net/server/websocket_session.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

namespace weft::serve_detail {

/** What a connection knows of responses that are not stored, so that its client can go on with them. The oldest go when
 *  there are too many. */
class response_cache {
public:
    /** What was said up to the end of a response; null: it is not here. */
    [[nodiscard]] const boost::json::array* find(std::string_view id) const noexcept;
    void keep(std::string id, boost::json::array messages);
    void forget(std::string_view id);

private:
    struct entry {
        std::string id;
        boost::json::array messages;
    };
    std::deque<entry> entries_;
};

/** Responses over one WebSocket, one after the other.
 *
 *      → {"type": "response.create", "model": "chat", "input": "hello", "store": false}
 *      ← {"type": "response.created", …} … {"type": "response.completed", …}
 *
 *  A response that is not stored can be followed on the same connection. A request that fails does not end the
 *  connection; a response that it was to follow is forgotten here.
 *
 *  @par Lifetimes   Core and call outlive it.
 *  @par Source      OpenAI, WebSocket mode of the Responses API; Open Responses of 2026-04-24. */
class response_socket {
public:
    response_socket(serve_core& core, api_call& call, websocket_session session)
        : core_{core}, call_{call}, session_{session}
    {
    }

    /** Serves the client until the conversation ends. */
    [[nodiscard]] task<void> run();

private:
    [[nodiscard]] task<void> answer(boost::json::object body);
    [[nodiscard]] task<void> follow(response_request request, bool is_cached, boost::json::array said_before);
    [[nodiscard]] task<void> warm_up(response_request request);
    [[nodiscard]] task<void> send_frames(std::string frames);
    [[nodiscard]] task<void> refuse(std::exception_ptr failure);

    serve_core& core_;
    api_call& call_;
    websocket_session session_;
    response_cache cache_;
};

/** `GET /v1/responses` as a WebSocket. */
[[nodiscard]] task<void> talk_in_responses(serve_core& core, api_call& call);

}  // namespace weft::serve_detail
