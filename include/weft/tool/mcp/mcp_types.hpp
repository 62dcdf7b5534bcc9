#pragma once

#include <weft/base/error.hpp>
#include <weft/base/json_schema.hpp>
#include <weft/tool/mcp/mcp_headers.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** How much of what a server says is taken. Everything from a server is untrusted: texts lose characters that cannot be
 *  seen and are cut, items beyond a limit are an error. */
struct mcp_limits {
    std::size_t pages_max = 1000;                   ///< Of one list.
    std::size_t items_max = 10'000;                 ///< Of one list.
    std::size_t description_bytes_max = 4096;       ///< Longer ones are cut.
    std::size_t rounds_max = 10;                    ///< How often a server may ask for input for one request.
    std::size_t pending_max = 1024;                 ///< Requests that wait for answers at one time.
    std::size_t served_max = 16;                    ///< Requests of the server that are answered at one time.
    std::size_t replies_max = 1024;                 ///< Answers to the server that it has not read yet.
    std::size_t reply_bytes_max = 32 * 1024 * 1024;  ///< All of these together.
    std::size_t schema_bytes_max = 256 * 1024;      ///< Of a tool's input schema as text.
    schema_limits schemas{};                        ///< Of a tool's output schema.
};

/** What a server claims about how a tool behaves; never to be trusted for safety. */
struct mcp_tool_hints {
    bool is_read_only = false;
    bool is_destructive = true;
    bool is_idempotent = false;
    bool is_open_world = true;
};

/** A tool as a server offers it. */
struct mcp_tool {
    std::string name{};         ///< 1 to 128 of `[A-Za-z0-9_.-]`.
    std::string title{};
    std::string description{};
    boost::json::value input_schema{};   ///< An object.
    boost::json::value output_schema{};  ///< Null if the tool has none.
    mcp_tool_hints hints{};
    mcp_argument_headers headers{};
    /** Compiled `output_schema`; null if there is none, or if weft cannot use it. */
    std::shared_ptr<const json_schema> output_check{};
};

/** A resource as a server offers it. */
struct mcp_resource {
    std::string uri{};
    std::string name{};
    std::string title{};
    std::string description{};
    std::string mime_type{};
    std::optional<std::uint64_t> size{};  ///< In bytes, as the server says.
};

/** A family of resources: an RFC 6570 template of their addresses. */
struct mcp_resource_template {
    std::string uri_template{};
    std::string name{};
    std::string title{};
    std::string description{};
    std::string mime_type{};
};

struct mcp_prompt_argument {
    std::string name{};
    std::string description{};
    bool is_required = false;
};

/** A prompt as a server offers it. */
struct mcp_prompt {
    std::string name{};
    std::string title{};
    std::string description{};
    std::vector<mcp_prompt_argument> arguments{};
};

/** One piece of what a server gives: of a tool's result or of a prompt's message. */
struct mcp_content {
    enum class kind {
        text,
        image,          ///< `data` in base64.
        audio,          ///< `data` in base64.
        resource_link,  ///< `uri`, to be read if wanted.
        resource,       ///< `uri`, with its `text` or `data`.
        unknown,        ///< Of a kind that weft does not know; see `raw`.
    };
    kind what = kind::unknown;
    std::string text{};
    std::string data{};  ///< In base64.
    std::string mime_type{};
    std::string uri{};
    std::string name{};
    boost::json::value raw{};  ///< As the server sent it, if it is `unknown`.
};

/** What came of a tool's call. */
struct mcp_call_result {
    std::vector<mcp_content> content{};
    boost::json::value structured{};  ///< Null if there is none.
    bool is_error = false;            ///< The tool ran and failed, or refused its arguments: for the model to read.
    boost::json::object meta{};       ///< `_meta`, for programs.

    /** A result that is a text. */
    [[nodiscard]] static mcp_call_result of_text(std::string words);
    /** A result that says why the tool did not do it. */
    [[nodiscard]] static mcp_call_result error(std::string words);

    /** The texts of the content, a line between two. */
    [[nodiscard]] std::string text() const;
};

/** The content of a resource: text or bytes. */
struct mcp_resource_content {
    std::string uri{};
    std::string mime_type{};
    std::string text{};
    std::string blob{};  ///< In base64.
    bool is_text = true;
};

struct mcp_prompt_message {
    std::string role{};  ///< `user` or `assistant`, as the server says.
    mcp_content content{};
};

struct mcp_prompt_text {
    std::string description{};
    std::vector<mcp_prompt_message> messages{};
};

/** How far a call has come. */
struct mcp_progress {
    double progress = 0;
    std::optional<double> total{};
    std::string message{};
};

/** A line of the server's log. */
struct mcp_log_line {
    std::string level{};   ///< `debug` … `emergency`.
    std::string logger{};
    std::string text{};
};

}  // namespace weft
