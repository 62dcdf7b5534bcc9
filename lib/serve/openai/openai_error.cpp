#include "openai_error.hpp"

#include <weft/net/server/http_error.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>

namespace weft::serve_detail {

namespace {

using boost::json::object;
using boost::json::value;

/** What is wrong with a member says it in front: `body.input[2].role: expected…`. Empty: the message names none. */
std::string_view parameter_in(std::string_view message)
{
    const std::size_t end = message.find(": ");
    if (end == message.npos) return {};
    std::string_view path = message.substr(0, end);
    for (const std::string_view prefix : {std::string_view{"body."}, std::string_view{"query."}})
        if (path.starts_with(prefix)) path.remove_prefix(prefix.size());
    const auto is_of_path = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '[' || c == ']';
    };
    const bool is_path = !path.empty() && path != "body" && std::all_of(path.begin(), path.end(), is_of_path);
    return is_path ? path : std::string_view{};
}

std::string_view type_of(int status) noexcept
{
    if (status == 403) return "permission_error";
    if (status == 429) return "rate_limit_error";
    if (status == 503) return "service_unavailable_error";
    return status >= 500 ? "server_error" : "invalid_request_error";
}

}  // namespace

void refuse_parameter(std::string_view path, std::string_view why, std::string_view code)
{
    throw http_error{400, std::string{code}, std::string{path} + ": " + std::string{why}};
}

http_error openai_misfit(const std::string& path, std::string_view why, field_fault what)
{
    const char* code = "invalid_value";
    if (what == field_fault::missing) code = "missing_required_parameter";
    if (what == field_fault::type) code = "invalid_type";
    return http_error{400, code, path + ": " + std::string{why}};
}

/** Clients know 400 for what is wrong in a body; 422 would be an error without a class of its own. */
int openai_status(int status) noexcept { return status == 422 ? 400 : status; }

object openai_error_view(const refusal& why)
{
    const int status = openai_status(why.status);
    object view;
    view["message"] = why.message;
    view["type"] = type_of(status);
    const std::string_view parameter = status < 500 ? parameter_in(why.message) : std::string_view{};
    view["param"] = parameter.empty() ? value(nullptr) : value(parameter);
    view["code"] = why.code;
    return view;
}

http_reply openai_form(const refusal& why)
{
    object body;
    body["error"] = openai_error_view(why);
    http_reply answer{openai_status(why.status), boost::json::serialize(body), "application/json"};
    // The official clients look at this one first.
    if (why.retry_after_s > 0) answer.headers.set("retry-after-ms", std::to_string(why.retry_after_s * 1000));
    return answer;
}

object failure_error_view(std::string_view name, std::string_view message)
{
    object view;
    view["message"] = message;
    view["type"] = "server_error";
    view["param"] = nullptr;
    view["code"] = name;
    return view;
}

}  // namespace weft::serve_detail
