#pragma once

#include <weft/model/anthropic/anthropic_settings.hpp>
#include <weft/model/chat/reply_options.hpp>
#include <weft/model/chat_reply.hpp>
#include <weft/model/chat_sink.hpp>
#include <weft/model/model_error.hpp>
#include <weft/net/secret_string.hpp>
#include <weft/net/sse_parser.hpp>

#include <memory>
#include <string_view>

namespace weft {

/** Puts a reply of the Messages API together from its events. Does no I/O.
 *
 *      while (const weft::sse_event* event = parser.next())
 *          if (!stream.feed(*event, sink)) break;
 *      weft::chat_reply reply = stream.finish();
 *
 *  A reply is complete when a stop reason and `message_stop` were seen, however the connection ends after that. Unknown
 *  events, blocks, deltas and members are ignored or kept as they are; a member that is missing, null or of another
 *  type is "not given". Blocks are told apart by their index.
 *
 *  Reasoning keeps its signature, and what the neutral form has no place for (redacted thinking, the server's own
 *  tools, citations) goes with the message in `message::provider`, so that the history can go back to the same model.
 *  Of a reply that is a refusal nothing is kept but the provider's explanation, as the provider demands.
 *
 *  @par Errors          All functions but the constructor throw `model_error` with what had arrived:
 *    - `errc::response_truncated`     the stream ended before the reply was complete.
 *    - `errc::model_stream_error`     the server reported an error after the reply had begun.
 *    - the code that fits             the server reported an error before that, as if by its status.
 *    - `errc::invalid_model_reply`    an event is not what it should be.
 *    - `errc::response_too_large`     a limit of the options is exceeded.
 *  @par Thread safety   As a value; it can be moved only. After an error it is not to be used any more.
 *  @par Lifetimes       The settings and the key outlive the stream.
 *  @par Source          Anthropic's API reference, "Streaming messages".
 */
class anthropic_stream {
public:
    /** @param key   Blotted out of errors that the server reports. */
    anthropic_stream(reply_options options, const anthropic_settings& settings, const secret_string& key);
    ~anthropic_stream();
    anthropic_stream(anthropic_stream&&) noexcept;
    anthropic_stream& operator=(anthropic_stream&&) noexcept;

    /** Takes one event in. @return False when nothing of interest can follow. */
    bool feed(const sse_event& event, chat_sink& sink);

    /** Takes the event in that the end of the body cut, if it proves to be whole. */
    void feed_last(const sse_event& event, chat_sink& sink);

    /** Takes a whole message in, from a server that does not stream. */
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
