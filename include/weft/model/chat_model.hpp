#pragma once

#include <weft/async/task.hpp>
#include <weft/model/chat_reply.hpp>
#include <weft/model/chat_request.hpp>
#include <weft/model/chat_sink.hpp>

#include <string_view>
#include <utility>

namespace weft {

/** Something that answers conversations: a provider, a script, or a decorator around another model.
 *
 *  A call delivers deltas to its sink and then either returns the whole reply or throws; nothing is delivered after
 *  that. Decorators call another model with the request, perhaps several times, and hand the deltas through.
 *
 *  @par Thread safety   `reply` from any loop, unless a model says otherwise.
 *  @par Lifetimes       The model outlives its calls.
 */
class chat_model {
public:
    virtual ~chat_model() = default;

    /** Asks the model once.
     *
     *  @param request   What to ask.
     *  @param sink      Gets the reply while it is written; must outlive the call.
     *  @return          The whole reply. A refusal and a reply cut by its length are replies; look at `stop`.
     *
     *  @par Errors
     *    - `model_error`                   the wire, the endpoint or its answer failed; says how, whether a repeat may
     *                                      help and what had arrived. Its code is the one of `errc` that fits.
     *    - `errc::cancelled`               the call was stopped; a `model_error` if the reply had begun.
     *    - `errc::invalid_configuration`   the request cannot be asked, e.g. it has no messages.
     *  @par Cancellation    Closes the connection: the only way to stop a model from writing. What it wrote is paid.
     *
     *  Where the request's trace is recorded, the call is a span of it; calls that decorators make for it are none.
     */
    [[nodiscard]] task<chat_reply> reply(chat_request request, chat_sink& sink)
    {
        if (request.trace && request.trace->recorder && !request.trace->is_of_call)
            return reply_in_span(std::move(request), sink);
        return do_reply(std::move(request), sink);
    }

    /** As above, for callers who want the whole reply only. */
    [[nodiscard]] task<chat_reply> reply(chat_request request) { return reply(std::move(request), ignored_); }

    /** What is asked, for messages and reports: e.g. `gpt-x at api.openai.com:443`. */
    [[nodiscard]] virtual std::string_view label() const noexcept = 0;

protected:
    chat_model() = default;
    chat_model(const chat_model&) = default;
    chat_model& operator=(const chat_model&) = default;

private:
    [[nodiscard]] task<chat_reply> reply_in_span(chat_request request, chat_sink& sink);
    [[nodiscard]] virtual task<chat_reply> do_reply(chat_request request, chat_sink& sink) = 0;

    no_sink ignored_;
};

}  // namespace weft
