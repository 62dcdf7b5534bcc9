#pragma once

#include <weft/model/chat/reply_options.hpp>
#include <weft/model/chat_reply.hpp>
#include <weft/model/chat_sink.hpp>
#include <weft/model/model_error.hpp>
#include <weft/model/openai/openai_profile.hpp>
#include <weft/net/secret_string.hpp>
#include <weft/net/sse_parser.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace weft {

using openai_stream_limits = reply_limits;
using openai_stream_options = reply_options;

/** Puts the reply of an OpenAI-compatible server together from its events. Does no I/O.
 *
 *      while (const weft::sse_event* event = parser.next())
 *          if (!stream.feed(*event, sink)) break;
 *      weft::chat_reply reply = stream.finish();
 *
 *  A reply is complete when a `finish_reason` was seen (or `[DONE]`, where the profile says so), however the connection
 *  ends after that; `[DONE]` alone and the end of the body prove nothing. A member that is missing, null or of
 *  another type is "not given", an unknown member is ignored.
 *
 *  @par Errors          All functions but the constructor throw `model_error` with what had arrived:
 *    - `errc::response_truncated`     the stream ended before the reply was complete.
 *    - `errc::model_stream_error`     the server reported an error after the reply had begun.
 *    - the code that fits             the server reported an error before that, as if by its status.
 *    - `errc::invalid_model_reply`    an event is not what it should be.
 *    - `errc::response_too_large`     a limit of the options is exceeded.
 *  @par Thread safety   As a value; it can be moved only. After an error it is not to be used any more.
 *  @par Lifetimes       The profile and the key outlive the stream.
 *  @par Source          OpenAI's API reference, "Chat completion chunk", and what other servers make of it.
 */
class openai_stream {
public:
    /** @param key   Blotted out of errors that the server reports. */
    openai_stream(openai_stream_options options, const openai_profile& profile, const secret_string& key);
    ~openai_stream();
    openai_stream(openai_stream&&) noexcept;
    openai_stream& operator=(openai_stream&&) noexcept;

    /** Takes one event in. @return False when nothing of interest can follow. */
    bool feed(const sse_event& event, chat_sink& sink);

    /** Takes the event in that the end of the body cut, if it proves to be whole. */
    void feed_last(const sse_event& event, chat_sink& sink);

    /** Takes a whole reply in, from a server that does not stream. */
    void feed_document(std::string_view body, chat_sink& sink);

    /** The reply, when the body has ended.
     *  @param stray_json   What stood in the body outside of events; late errors come so. */
    [[nodiscard]] chat_reply finish(std::string_view stray_json = {});

    /** The reply, when the body broke off. One that was complete by then is returned, unless the call was cancelled;
     *  else this throws `cause` as a `model_error`. */
    [[nodiscard]] chat_reply finish_after(const error& cause);

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace weft
