#pragma once

#include <weft/testing/model/scripted_reply_content.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::testing {

/** One reply of a scripted endpoint: what it says, how fast, and what goes wrong. Made by the
 *  functions below and refined by its setters, which all return the reply itself:
 *
 *      text("The sea is salty.").first_token(300ms).between_tokens(20ms).jitter(0.3)
 *      text("The sea is salty.").reset_after(2)
 *
 *  A piece is a word of a text, a part of a tool call's arguments, an event of a stream. A request
 *  that does not ask for streaming gets the same as one JSON document, after the same time; a
 *  fault then strikes in the middle of the document, whatever number of pieces it was to wait for.
 *
 *  @par Thread safety   As a value.
 */
class scripted_reply {
public:
    using duration = std::chrono::nanoseconds;

    explicit scripted_reply(scripted_reply_content parts) : parts_{std::move(parts)} {}

    /** @name Time
     *  All of it is zero by default, and multiplied by the `pace` of the endpoint. */
    ///@{
    /** From the request to the head of the response. */
    scripted_reply& head_delay(duration wait);
    /** From the first to the last byte of the head, which comes in small pieces. */
    scripted_reply& head_spread(duration length);
    /** From the head to the first piece. */
    scripted_reply& first_token(duration wait);
    /** From each piece to the next. */
    scripted_reply& between_tokens(duration wait);
    /** Varies each wait between tokens by up to this part of it, up and down. At most 1. The seed
     *  of the endpoint decides. */
    scripted_reply& jitter(double part);
    /** Pieces that follow each other without a wait share writes of up to 16 KiB, for speed. By
     *  default each has a write of its own. */
    scripted_reply& coalesced();
    ///@}

    /** @name Content */
    ///@{
    /** Adds a tool call, which comes after the text. */
    scripted_reply& tool_call(std::string name, std::string arguments, std::string id = {});
    /** The pieces of several tool calls alternate, in place of one call after the other. */
    scripted_reply& tool_calls_alternate();
    /** Says why the reply ends: `length`, `content_filter`… By default `stop`, or `tool_calls`. */
    scripted_reply& finish_reason(std::string reason);
    /** What the reply says about its tokens. By default they are counted: a piece is a token. */
    scripted_reply& usage(const weft::usage& count);
    /** Sets the body of a `status` reply. */
    scripted_reply& body(std::string text);
    /** Adds a header field. The body's length and framing are the endpoint's own. */
    scripted_reply& header(std::string name, std::string value);
    /** Closes the connection properly after the reply, and says so in the head. */
    scripted_reply& closes_connection();
    ///@}

    /** @name Faults
     *  At most one; it strikes after `pieces` pieces, or after the last one if there are fewer. */
    ///@{
    /** The body ends properly, without a finish reason and without `[DONE]`. */
    scripted_reply& end_after(std::size_t pieces);
    /** The TCP connection is closed, without the end of the body and without a word from TLS. */
    scripted_reply& cut_after(std::size_t pieces);
    /** As `cut_after`, and half of the next chunk comes before it. */
    scripted_reply& cut_mid_chunk_after(std::size_t pieces);
    /** Half of the next chunk comes, then the TCP connection is reset. */
    scripted_reply& reset_after(std::size_t pieces);
    /** Nothing more comes, until the client closes the connection or the endpoint is stopped. */
    scripted_reply& stall_after(std::size_t pieces);
    /** An error event as vLLM and OpenAI send it comes, then `[DONE]`. Without streaming, the reply
     *  has this code as its status and the error as its body. */
    scripted_reply& error_after(std::size_t pieces, std::string_view message, int code = 500);
    /** An event comes that is not JSON, then the body ends. */
    scripted_reply& invalid_json_after(std::size_t pieces);
    /** A line of so many bytes comes, then the body ends. */
    scripted_reply& oversized_line_after(std::size_t pieces, std::size_t bytes);
    /** These bytes come as part of the body, then it ends. */
    scripted_reply& bytes_after(std::size_t pieces, std::string bytes);
    ///@}

    [[nodiscard]] const scripted_reply_content& parts() const noexcept { return parts_; }

private:
    scripted_reply& fault(scripted_fault kind, std::size_t pieces, std::string bytes = {});

    scripted_reply_content parts_;
};

/** An assistant's text, streamed word by word. */
[[nodiscard]] scripted_reply text(std::string_view whole);

/** An assistant's text in the given pieces. */
[[nodiscard]] scripted_reply text_pieces(std::vector<std::string> pieces);

/** An assistant's wish for a tool call; `arguments` is JSON text, and comes in pieces. */
[[nodiscard]] scripted_reply tool_call(std::string name, std::string arguments,
                                       std::string id = {});

/** An HTTP response with this status and an error document as OpenAI sends it, unless `body` sets
 *  another: `status(429).header("retry-after", "7")`. */
[[nodiscard]] scripted_reply status(int code, std::string_view message = {});

/** A `text/event-stream` with this body, each event (up to its blank line) one chunk. The client
 *  gets exactly these bytes. */
[[nodiscard]] scripted_reply event_stream(std::string_view body);

/** Exactly these bytes in place of an HTTP response; then the connection is closed properly. */
[[nodiscard]] scripted_reply raw_response(std::string bytes);

/** 64 bytes that are no HTTP; then the connection is closed properly. */
[[nodiscard]] scripted_reply garbage();

/** The connection is closed instead of a reply. */
[[nodiscard]] scripted_reply hang_up();

/** No reply: silence, until the client closes the connection or the endpoint is stopped. */
[[nodiscard]] scripted_reply silence();

}  // namespace weft::testing
