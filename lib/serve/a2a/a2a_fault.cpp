#include "a2a_fault.hpp"

#include <weft/net/server/http_error.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;

/** How a refusal is told in each binding. @par Source  A2A 1.0, "Error code mappings". */
struct fault_kind {
    std::string_view code;
    int rpc;
    int http;
    std::string_view status;
    std::string_view reason;
};

constexpr std::array<fault_kind, 12> fault_kinds{{
    {a2a_code::task_not_found, -32001, 404, "NOT_FOUND", "TASK_NOT_FOUND"},
    {a2a_code::task_not_cancelable, -32002, 400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"},
    {a2a_code::unsupported_operation, -32004, 400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"},
    {a2a_code::content_type_not_supported, -32005, 400, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"},
    {a2a_code::extended_card_not_configured, -32007, 400, "FAILED_PRECONDITION",
     "EXTENDED_AGENT_CARD_NOT_CONFIGURED"},
    {a2a_code::extension_support_required, -32008, 400, "FAILED_PRECONDITION", "EXTENSION_SUPPORT_REQUIRED"},
    {a2a_code::version_not_supported, -32009, 400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED"},
    // A2A has none of its own for an answer to a question that is not open any more: `metadata.code` tells it.
    {a2a_code::stale_answer, -32602, 400, "INVALID_ARGUMENT", "INVALID_PARAMS"},
    {a2a_code::invalid_params, -32602, 400, "INVALID_ARGUMENT", "INVALID_PARAMS"},
    {a2a_code::invalid_request, -32600, 400, "INVALID_ARGUMENT", "INVALID_REQUEST"},
    {a2a_code::method_not_found, -32601, 404, "NOT_FOUND", "METHOD_NOT_FOUND"},
    {a2a_code::parse_error, -32700, 400, "INVALID_ARGUMENT", "JSON_PARSE"},
}};

/** Of refusals that every protocol has, by their status. */
fault_kind kind_by_status(int status) noexcept
{
    switch (status) {
    case 400:
    case 422: return {"", -32602, 400, "INVALID_ARGUMENT", "INVALID_PARAMS"};
    case 401: return {"", -32000, 401, "UNAUTHENTICATED", "UNAUTHENTICATED"};
    case 403: return {"", -32000, 403, "PERMISSION_DENIED", "PERMISSION_DENIED"};
    case 404: return {"", -32601, 404, "NOT_FOUND", "METHOD_NOT_FOUND"};
    case 405: return {"", -32601, 405, "UNIMPLEMENTED", "METHOD_NOT_FOUND"};
    case 409: return {"", -32004, 409, "ABORTED", "UNSUPPORTED_OPERATION"};
    case 413: return {"", -32600, 413, "INVALID_ARGUMENT", "INVALID_REQUEST"};
    case 415: return {"", -32600, 415, "INVALID_ARGUMENT", "INVALID_REQUEST"};
    case 421: return {"", -32600, 421, "INVALID_ARGUMENT", "INVALID_REQUEST"};
    case 429: return {"", -32000, 429, "RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED"};
    case 503: return {"", -32603, 503, "UNAVAILABLE", "UNAVAILABLE"};
    default: return {"", -32603, status >= 500 ? status : 500, "INTERNAL", "INTERNAL_ERROR"};
    }
}

fault_kind kind_of(const refusal& why) noexcept
{
    const auto found = std::find_if(fault_kinds.begin(), fault_kinds.end(),
                                    [&](const fault_kind& one) { return one.code == why.code; });
    return found == fault_kinds.end() ? kind_by_status(why.status) : *found;
}

/** The path in front of a message, as in `message.parts[1]: …`; empty if there is none. */
std::string_view place_in(std::string_view message)
{
    const std::size_t colon = message.find(": ");
    if (colon == message.npos || colon == 0) return {};
    const std::string_view place = message.substr(0, colon);
    return place.find(' ') == place.npos ? place : std::string_view{};
}

array details_of(const refusal& why, const fault_kind& kind)
{
    array details;
    details.push_back(object{{"@type", "type.googleapis.com/google.rpc.ErrorInfo"},
                             {"reason", kind.reason},
                             {"domain", "a2a-protocol.org"},
                             {"metadata", object{{"code", why.code}}}});
    const std::string_view place = place_in(why.message);
    if (kind.rpc != -32602 || place.empty()) return details;
    const object violation{{"field", place}, {"description", std::string_view{why.message}.substr(place.size() + 2)}};
    details.push_back(object{{"@type", "type.googleapis.com/google.rpc.BadRequest"},
                             {"fieldViolations", array{violation}}});
    return details;
}

}  // namespace

void refuse_a2a(std::string_view code, std::string_view place, std::string_view why)
{
    std::string message{place};
    message.append(place.empty() ? "" : ": ").append(why);
    refusal told;
    told.code = code;
    throw http_error{kind_of(told).http, told.code, message};
}

http_error a2a_misfit(const std::string& place, std::string_view why, field_fault)
{
    return http_error{400, std::string{a2a_code::invalid_params}, place + ": " + std::string{why}};
}

object a2a_rpc_error(const refusal& why)
{
    const fault_kind kind = kind_of(why);
    return {{"code", kind.rpc}, {"message", why.message}, {"data", details_of(why, kind)}};
}

object a2a_http_error(const refusal& why, int& status)
{
    const fault_kind kind = kind_of(why);
    status = kind.http;
    object body{{"code", kind.http}, {"status", kind.status}, {"message", why.message}};
    body["details"] = details_of(why, kind);
    return {{"error", std::move(body)}};
}

http_reply a2a_form(const refusal& why)
{
    int status = 500;
    const object body = a2a_http_error(why, status);
    return http_reply{status, boost::json::serialize(body), "application/json"};
}

}  // namespace weft::serve_detail
