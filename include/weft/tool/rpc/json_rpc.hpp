#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace weft {

/** What names a request of JSON-RPC: a whole number or a text. `1` and `"1"` are two ids. */
using json_rpc_id = std::variant<std::int64_t, std::string>;

/** `7`, `"e1"` */
[[nodiscard]] std::string text_of(const json_rpc_id& id);
[[nodiscard]] boost::json::value json_of(const json_rpc_id& id);
/** The id that a JSON value is, if it is one: a whole number, also written `3.0`, or a string. */
[[nodiscard]] std::optional<json_rpc_id> json_rpc_id_of(const boost::json::value& from);

/** The error codes of JSON-RPC and those that the Model Context Protocol adds. */
namespace json_rpc_code {
inline constexpr std::int64_t parse_error = -32700;
inline constexpr std::int64_t invalid_request = -32600;
inline constexpr std::int64_t method_not_found = -32601;
inline constexpr std::int64_t invalid_params = -32602;
inline constexpr std::int64_t internal_error = -32603;
inline constexpr std::int64_t resource_not_found = -32002;       ///< Up to 2025-11-25.
inline constexpr std::int64_t header_mismatch = -32020;          ///< Since 2026-07-28, as are the next two.
inline constexpr std::int64_t missing_capability = -32021;
inline constexpr std::int64_t unsupported_version = -32022;
inline constexpr std::int64_t url_elicitation_required = -32042;
}  // namespace json_rpc_code

/** Why a request of JSON-RPC was refused. */
struct json_rpc_error {
    std::int64_t code = json_rpc_code::internal_error;
    std::string message{};
    boost::json::value data{};  ///< Null when there is none.
};

/** One message of JSON-RPC 2.0: a request, a notification, or an answer with a result or an error.
 *
 *  @par Thread safety   As a value.
 *  @par Source          JSON-RPC 2.0; MCP 2025-11-25 and 2026-07-28, "Base protocol": `params` is an object, an id is
 *                       never null, there are no batches.
 */
class json_rpc_message {
public:
    enum class kind {
        request,       ///< Has a method and an id.
        notification,  ///< Has a method and no id.
        result,        ///< Answers the request of its id.
        error,         ///< Refuses the request of its id; without an id, one that could not be read.
    };

    [[nodiscard]] static json_rpc_message request(json_rpc_id id, std::string method, boost::json::object params);
    [[nodiscard]] static json_rpc_message notification(std::string method, boost::json::object params);
    [[nodiscard]] static json_rpc_message result(json_rpc_id id, boost::json::value value);
    [[nodiscard]] static json_rpc_message error(std::optional<json_rpc_id> id, json_rpc_error why);

    /** Reads a message. A half of a character, as `"\ud800"`, which programs in JavaScript write, becomes U+FFFD.
     *
     *  Unknown members are ignored. A member `params` that is null, and a `result` beside an `error` that is null, are
     *  taken as not given.
     *
     *  @par Errors
     *    - `errc::invalid_json`         the text is not JSON.
     *    - `errc::invalid_mcp_message`  it is no message: a batch, another version than 2.0, an id that is neither a
     *                                   whole number nor a text, `params` that are no object, neither method nor
     *                                   answer. */
    [[nodiscard]] static json_rpc_message parse(std::string_view text);

    /** The message on one line, without a line feed at its end. */
    [[nodiscard]] std::string text() const;

    [[nodiscard]] kind what() const noexcept { return kind_; }
    [[nodiscard]] bool is_answer() const noexcept { return kind_ == kind::result || kind_ == kind::error; }
    [[nodiscard]] const std::optional<json_rpc_id>& id() const noexcept { return id_; }
    /** Of a request or notification. */
    [[nodiscard]] const std::string& method() const noexcept { return method_; }
    /** Of a request or notification; empty if it has none. */
    [[nodiscard]] const boost::json::object& params() const noexcept { return params_; }
    /** Of a `kind::result`. */
    [[nodiscard]] boost::json::value& value() noexcept { return value_; }
    [[nodiscard]] const boost::json::value& value() const noexcept { return value_; }
    /** Of a `kind::error`. */
    [[nodiscard]] const json_rpc_error& why() const noexcept { return why_; }

private:
    explicit json_rpc_message(kind what) noexcept : kind_{what} {}

    kind kind_;
    std::optional<json_rpc_id> id_;
    std::string method_;
    boost::json::object params_;
    boost::json::value value_;
    json_rpc_error why_;
};

}  // namespace weft
