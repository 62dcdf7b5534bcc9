#pragma once

#include <weft/base/chrono.hpp>
#include <weft/chat/usage.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft::testing {

/** What the pieces of a reply are. */
enum class scripted_reply_kind {
    chat,      ///< Text of an assistant, sent as the request asks for: streamed or as one document.
    response,  ///< The body of an HTTP response.
    stream,    ///< The body of a `text/event-stream`, each piece one chunk and one write.
    raw,       ///< Bytes in place of an HTTP response, each piece one write.
};

/** What goes wrong in a reply. */
enum class scripted_fault {
    none,
    end,            ///< The body ends properly, without a finish reason and without `[DONE]`.
    cut,            ///< The TCP connection is closed, without a word from TLS.
    cut_mid_chunk,  ///< As `cut`, after half of the next chunk.
    reset,          ///< The TCP connection is reset, after half of the next chunk.
    stall,          ///< Nothing more comes, until the client gives up.
    error,          ///< An error event comes, then `[DONE]`; without streaming, an error status.
    bytes,          ///< Bytes of the script take the place of what is left; then the body ends.
};

struct scripted_tool_call {
    std::string id;
    std::string name;
    std::string arguments;  ///< JSON text, or what a confused model takes for it.
};

/** What a `scripted_reply` consists of; the endpoint reads it. */
struct scripted_reply_content {
    using duration = std::chrono::nanoseconds;

    scripted_reply_kind kind = scripted_reply_kind::chat;
    std::vector<std::string> pieces;
    std::vector<scripted_tool_call> tool_calls;
    bool tool_calls_alternate = false;
    std::optional<std::string> finish_reason;  ///< By default `stop`, or `tool_calls`.
    std::optional<weft::usage> usage;          ///< By default counted.

    int status = 200;
    std::vector<std::pair<std::string, std::string>> headers;
    bool closes_connection = false;

    duration head_delay{};
    duration head_spread{};  ///< From the first to the last byte of the head.
    duration first_token{};
    duration between_tokens{};
    double jitter = 0;
    bool is_coalesced = false;

    scripted_fault fault = scripted_fault::none;
    std::size_t fault_after = 0;  ///< Pieces that are sent before.
    std::string fault_bytes;      ///< Of `error` the document.
    int fault_code = 500;         ///< Of `error`.
};

}  // namespace weft::testing
