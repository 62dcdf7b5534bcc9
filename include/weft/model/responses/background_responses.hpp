#pragma once

#include <weft/async/task.hpp>
#include <weft/base/text/trace_context.hpp>
#include <weft/model/chat_reply.hpp>
#include <weft/model/chat_request.hpp>
#include <weft/model/chat_sink.hpp>
#include <weft/model/responses_model.hpp>
#include <weft/net/http_client.hpp>

#include <memory>
#include <string>

namespace weft {

/** Responses that an endpoint makes in the background: ordered, followed by their ids, cancelled.
 *
 *      const weft::background_responses responses{client, options};
 *      const std::string id = co_await responses.order(request);      // write it down
 *      weft::chat_reply reply = co_await responses.follow(id, sink);  // from any process, as often as one likes
 *
 *  A response goes on without its connection, so that agents that take long survive both sides' networks and the end of
 *  the process that has ordered.
 *
 *  @par Errors          Those of the constructor and, as a `model_error`, of a call: as `responses_model`.
 *  @par Thread safety   From any loop.
 *  @par Lifetimes       Outlives its tasks.
 *  @par Source          OpenAI's API reference, "Background mode".
 */
class background_responses {
public:
    /** @param client   Copied; copies share their connections. */
    background_responses(http_client client, responses_model_options options);

    /** Orders a response; the endpoint stores it. The order asks for a stream, without which some endpoints do not
     *  stream the response later, and leaves it when the id is known.
     *  @return              The id of the response.
     *  @par Cancellation    Closes the connection; the response may be under way. `chat_request::call_id` names it. */
    [[nodiscard]] task<std::string> order(chat_request request) const;

    /** Waits for the end of a response, and tells what it says from its beginning.
     *
     *  The stream is asked for again behind the last event when it breaks off; an endpoint that does not stream is
     *  asked once a second. Of sixty failures in a row that may pass, a second apart, the last one is the error.
     *
     *  @param trace         What each of these requests has as `traceparent` and `tracestate`; null: none.
     *  @par Errors          Also `errc::model_not_found`: there is no such response any more.
     *  @par Cancellation    Closes the connection; the response goes on.
     *  @par Lifetimes       The sink outlives the task. */
    [[nodiscard]] task<chat_reply> follow(std::string id, chat_sink& sink,
                                          std::shared_ptr<const trace_context> trace = nullptr) const;

    /** Has the endpoint cancel a response; one that is over stays as it is.
     *  @param trace   As for `follow`.
     *  @par Errors    As a call; none for a response that cannot be cancelled. */
    [[nodiscard]] task<void> cancel(std::string id, std::shared_ptr<const trace_context> trace = nullptr) const;

private:
    std::shared_ptr<const model_detail::provider> provider_;
    std::string base_url_;
};

}  // namespace weft
