#pragma once

#include <weft/async/task.hpp>
#include <weft/model/chat/reply_options.hpp>
#include <weft/model/chat_reply.hpp>
#include <weft/model/chat_request.hpp>
#include <weft/model/chat_sink.hpp>
#include <weft/model/wire/credential_source.hpp>
#include <weft/net/http_client.hpp>
#include <weft/net/http_request.hpp>
#include <weft/net/http_timeouts.hpp>
#include <weft/net/secret_string.hpp>
#include <weft/net/sse_parser.hpp>

#include "error_judge.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weft::model_detail {

/** How the pieces of a streamed reply are told apart. */
enum class stream_framing {
    events,      ///< `text/event-stream`.
    json_lines,  ///< `application/x-ndjson`; a line is an event whose data it is.
};

/** Puts one reply together out of what its provider sends. Does no I/O.
 *
 *  @par Errors   All functions throw `model_error` with what had arrived; see `openai_stream`. */
class provider_reply {
public:
    virtual ~provider_reply() = default;

    /** Takes one event in. @return False when nothing of interest can follow. */
    virtual bool feed(const sse_event& event, chat_sink& sink) = 0;
    /** Takes the event in that the end of the body cut, if it proves to be whole. */
    virtual void feed_last(const sse_event& event, chat_sink& sink) = 0;
    /** Takes a whole reply in, from a server that does not stream. */
    virtual void feed_document(std::string_view body, chat_sink& sink) = 0;
    /** The reply, when the body has ended.
     *  @param stray_json   What stood in the body outside of events. */
    [[nodiscard]] virtual chat_reply finish(std::string_view stray_json) = 0;
    /** The reply, when the body broke off, if it was complete by then; else this throws `cause` as a `model_error`. */
    [[nodiscard]] virtual chat_reply finish_after(const error& cause) = 0;
};

/** A stream of a provider, such as `openai_stream`, as a `provider_reply`. */
template <class Stream>
class provider_reply_of final : public provider_reply {
public:
    template <class... Args>
    explicit provider_reply_of(Args&&... args) : stream_{std::forward<Args>(args)...}
    {
    }

    bool feed(const sse_event& event, chat_sink& sink) override { return stream_.feed(event, sink); }
    void feed_last(const sse_event& event, chat_sink& sink) override { stream_.feed_last(event, sink); }
    void feed_document(std::string_view body, chat_sink& sink) override { stream_.feed_document(body, sink); }
    chat_reply finish(std::string_view stray_json) override { return stream_.finish(stray_json); }
    chat_reply finish_after(const error& cause) override { return stream_.finish_after(cause); }

private:
    Stream stream_;
};

/** In which header a key goes. */
struct key_header {
    std::string_view name = "Authorization";
    std::string_view prefix = "Bearer ";
};

void put_key(http_request& out, const key_header& header, const secret_string& key);

/** What one provider does its own way in a call. */
struct provider_call {
    using write_function = std::function<http_request(const chat_request&)>;
    /** Makes the reader of a reply; called when the head of a good response is there, with `reading` and what that
     *  head says about the request's id and the rate limits. */
    using begin_function = std::function<std::unique_ptr<provider_reply>(reply_options, const secret_string& key)>;

    // Declared, since an aggregate would not survive g++ 12 as the parameter of a coroutine (docs/COMPILERS.md).
    provider_call(const error_dialect& words, const secret_string& secret) : dialect{&words}, key{&secret} {}

    reply_options reading;
    write_function write;
    begin_function begin;
    stream_framing framing = stream_framing::events;
    const error_dialect* dialect;
    const secret_string* key;  ///< In the request already; empty if there is none, or if it comes from a source.
    const std::string* key_origin = nullptr;  ///< Where the key comes from, for errors; null or empty: not known.
    std::shared_ptr<credential_source> credentials;
    key_header header;  ///< For the key of the source.
    std::optional<http_timeouts> timeouts{};  ///< Of the request; none: the client's.
    std::optional<std::chrono::nanoseconds> first_token_max{};  ///< None: the time of the first byte.
    std::optional<std::chrono::nanoseconds> token_gap_max{};    ///< None: the gap of the timeouts.
};

/** Asks a provider once: sends the request, judges the response by its status first, then by its content type, then by
 *  its body, and reads the reply as fast as the sink takes it. What little follows the end of a reply is read too, so
 *  that the connection can serve the next call.
 *
 *  With a source of keys, a response with status 401 makes it ask for another key and send the request once more.
 *
 *  @par Errors
 *    - `model_error` with `model_phase::request`    nothing of a response came, or there is no key.
 *    - `model_error` with `model_phase::response`   the response is no reply: what `response_failure` says.
 *    - those of the `provider_reply`, and of the sink and of `provider_call::write` as they are.
 *  @par Cancellation    Closes the connection.
 *  @par Lifetimes       The sink, and what the call refers to, outlive it. */
[[nodiscard]] task<chat_reply> call_provider(http_client client, chat_request request, provider_call call,
                                             chat_sink& sink);

}  // namespace weft::model_detail
