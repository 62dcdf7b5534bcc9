#pragma once

#include "serve/http/fields.hpp"
#include "serve/http/refusal.hpp"

#include <weft/net/server/http_reply.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace weft::serve_detail {

/** The codes of `http_error`s that A2A has a number for. */
namespace a2a_code {
inline constexpr std::string_view task_not_found{"task_not_found"};
inline constexpr std::string_view task_not_cancelable{"task_not_cancelable"};
inline constexpr std::string_view unsupported_operation{"unsupported_operation"};
inline constexpr std::string_view content_type_not_supported{"content_type_not_supported"};
inline constexpr std::string_view extended_card_not_configured{"extended_agent_card_not_configured"};
inline constexpr std::string_view extension_support_required{"extension_support_required"};
inline constexpr std::string_view version_not_supported{"version_not_supported"};
inline constexpr std::string_view stale_answer{"stale_answer"};
inline constexpr std::string_view invalid_params{"invalid_params"};
inline constexpr std::string_view invalid_request{"invalid_request"};
inline constexpr std::string_view method_not_found{"method_not_found"};
inline constexpr std::string_view parse_error{"parse_error"};
}  // namespace a2a_code

/** Refuses a request.
 *  @param code    Of `a2a_code`.
 *  @param place   The JSON path of what is wrong, such as `message.parts[1]`; empty: it is no member. */
[[noreturn]] void refuse_a2a(std::string_view code, std::string_view place, std::string_view why);

/** `invalid_params`, for a member of a `field_set`. */
[[nodiscard]] http_error a2a_misfit(const std::string& place, std::string_view why, field_fault what);

/** A refusal as the member `error` of a JSON-RPC answer: code, message, and in `data` the reason, and the place of what
 *  is wrong. */
[[nodiscard]] boost::json::object a2a_rpc_error(const refusal& why);

/** The same as the body of an answer of the binding HTTP+JSON: `{"error": {"code", "status", "message", "details"}}`.
 *  @param status   Set to the status of the answer. */
[[nodiscard]] boost::json::object a2a_http_error(const refusal& why, int& status);

/** For `route_table::refuse_as`. */
[[nodiscard]] http_reply a2a_form(const refusal& why);

}  // namespace weft::serve_detail
