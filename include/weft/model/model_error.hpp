#pragma once

#include <weft/base/chrono.hpp>
#include <weft/base/error.hpp>
#include <weft/model/chat_reply.hpp>

#include <memory>
#include <optional>
#include <string>

namespace weft {

/** How far a call had come when it failed. */
enum class model_phase {
    request,   ///< Nothing came back.
    response,  ///< The endpoint refused: by its status, or by what it sent instead of a reply.
    stream,    ///< The reply had begun.
};

/** What is known about a call that failed. */
struct model_failure {
    errc code = errc::invalid_model_reply;
    model_phase phase = model_phase::stream;
    std::string detail{};         ///< For people; free of secrets.
    int status = 0;               ///< Of the HTTP response, or the one that an error in the stream names; 0 if none.
    std::string provider_type{};  ///< The provider's words for the error, as far as it has any.
    std::string provider_code{};
    std::string request_id{};   ///< The provider's name for the HTTP request, for its support.
    std::optional<std::chrono::milliseconds> retry_after{};  ///< What the provider asks to wait.
    bool is_transient = false;  ///< The same request may succeed at another time.
    bool has_delivered = false; ///< The sink was given some of the reply.
    chat_reply partial{};       ///< What had arrived: text and usage so far, and never a tool call.
};

/** What a model call throws when the wire, the endpoint or its answer failed it.
 *
 *  The reply is lost, not what arrived of it: `partial()` has the text, reasoning and usage so far, with
 *  `stop_reason::unfinished`. It has no tool calls, since a call whose turn was cut must not be executed.
 */
class model_error : public error {
public:
    /** @param where   The model and its endpoint. */
    model_error(std::string where, model_failure failure);

    [[nodiscard]] const model_failure& failure() const noexcept { return *failure_; }
    [[nodiscard]] const chat_reply& partial() const noexcept { return failure_->partial; }

    /** Whether the same call may be made again without anybody noticing: what failed may pass, and the sink has seen
     *  nothing of the reply. */
    [[nodiscard]] bool is_retryable() const noexcept { return failure_->is_transient && !failure_->has_delivered; }

private:
    std::shared_ptr<const model_failure> failure_;  // shared: copying an exception must not throw
};

/** Whether an error of the wire may pass by itself: a lost connection may, a wrong certificate will not. */
[[nodiscard]] bool is_transient(errc code) noexcept;

}  // namespace weft
