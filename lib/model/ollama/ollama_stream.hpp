#pragma once

#include <weft/model/chat/reply_options.hpp>
#include <weft/model/chat_reply.hpp>
#include <weft/model/chat_sink.hpp>
#include <weft/model/model_error.hpp>
#include <weft/net/secret_string.hpp>
#include <weft/net/sse_parser.hpp>

#include <memory>
#include <string_view>

namespace weft {

/** Puts a reply of Ollama's own API together from its lines. Does no I/O.
 *
 *      while (const weft::sse_event* line = parser.next())  // of a json_line_parser
 *          if (!stream.feed(*line, sink)) break;
 *      weft::chat_reply reply = stream.finish();
 *
 *  A reply is complete when a line with `"done":true` was seen, and by nothing else. Tool calls come whole; those
 *  without an id get one. A count of tokens that is missing beside the other one is 0. Unknown members are ignored; a
 *  member that is missing, null or of another type is "not given".
 *
 *  @par Errors          All functions but the constructor throw `model_error` with what had arrived:
 *    - `errc::response_truncated`     the stream ended before the reply was complete.
 *    - `errc::model_stream_error`     the server reported an error after the reply had begun.
 *    - `errc::model_overloaded`       it did before that: the model failed, and may not fail another time.
 *    - `errc::invalid_model_reply`    a line is not what it should be.
 *    - `errc::response_too_large`     a limit of the options is exceeded.
 *  @par Thread safety   As a value; it can be moved only. After an error it is not to be used any more.
 *  @par Lifetimes       The key outlives the stream.
 *  @par Source          Ollama's API reference, "Generate a chat completion".
 */
class ollama_stream {
public:
    /** @param key   Blotted out of errors that the server reports. */
    ollama_stream(reply_options options, const secret_string& key);
    ~ollama_stream();
    ollama_stream(ollama_stream&&) noexcept;
    ollama_stream& operator=(ollama_stream&&) noexcept;

    /** Takes one line in, the data of the event. @return False when nothing of interest can follow. */
    bool feed(const sse_event& line, chat_sink& sink);

    /** Takes the line in that has no end, if it proves to be whole. */
    void feed_last(const sse_event& line, chat_sink& sink);

    /** Takes a whole reply in, from a server that does not stream. */
    void feed_document(std::string_view body, chat_sink& sink);

    /** The reply, when the body has ended. @param stray   Means nothing here. */
    [[nodiscard]] chat_reply finish(std::string_view stray = {});

    /** The reply, when the body broke off. One that was complete by then is returned, unless the call was cancelled;
     *  else this throws `cause` as a `model_error`. */
    [[nodiscard]] chat_reply finish_after(const error& cause);

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace weft
