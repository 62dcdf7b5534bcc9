#pragma once

#include "guard_checks.hpp"

#include <weft/model/chat_reply.hpp>
#include <weft/model/chat_request.hpp>
#include <weft/model/chat_sink.hpp>

#include <optional>
#include <string>
#include <utility>

namespace weft::agent_detail {

/** Where a reply comes from that is guarded. */
class reply_source {
public:
    /** @par Lifetimes   The sink outlives the task. */
    [[nodiscard]] virtual task<chat_reply> ask(chat_request request, chat_sink& sink) = 0;

protected:
    ~reply_source() = default;
};

/** What is asked, and of it what guardrails of the input look at. */
struct guarded_request {
    guarded_request(chat_request what, std::optional<std::string> said)
        : request{std::move(what)}, input{std::move(said)}
    {
    }

    chat_request request;
    std::optional<std::string> input;  ///< What is said to the model anew, see `new_input`.
};

/** Asks while the guardrails look, and gives the reply when they have passed it.
 *
 *  Those of the input look if there is one: those that come first before the call, the others beside it, while the
 *  sink hears nothing. Those of the output look at the text of the reply, if it has one.
 *
 *  @par Errors          `guardrail_error`; a call under way is stopped. Those of the source, of which the guardrails
 *                       are stopped.
 *  @par Cancellation    Everything is stopped and awaited.
 *  @par Lifetimes       All references outlive the task. */
[[nodiscard]] task<chat_reply> guarded_reply(reply_source& source, guarded_request asked, const guardrails& guards,
                                             const guard_place& place, chat_sink& sink);

}  // namespace weft::agent_detail
