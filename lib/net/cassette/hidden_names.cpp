#include "hidden_names.hpp"

#include <weft/base/json/json_reading.hpp>
#include <weft/net/text/http_headers.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace weft::net_detail {

namespace {

constexpr std::size_t shortest_secret = 4;  // a shorter text would be masked in half of all words

constexpr std::array<std::string_view, 9> hidden_header_names = {
    "authorization", "cookie",         "set-cookie",           "api-key",            "x-api-key",
    "x-auth-token",  "x-goog-api-key", "x-amz-security-token", "proxy-authorization"};
constexpr std::array<std::string_view, 18> hidden_parameter_names = {
    "key",      "api_key", "api-key",       "apikey",           "access_token",    "refresh_token",
    "id_token", "token",   "sig",           "signature",        "password",        "secret",
    "code",     "auth",    "client_secret", "client_assertion", "x-amz-signature", "x-amz-security-token"};

/** Whether a name is among those that are always hidden, or those that the options add. */
template <std::size_t Count>
bool is_hidden(std::string_view name, const std::array<std::string_view, Count>& always,
               const std::vector<std::string>& added)
{
    const auto is_it = [&](std::string_view listed) { return equals_ignoring_case(name, listed); };
    return std::any_of(always.begin(), always.end(), is_it) || std::any_of(added.begin(), added.end(), is_it);
}

bool is_form(const recorded_request& request)
{
    return std::any_of(request.headers.begin(), request.headers.end(), [](const auto& field) {
        return equals_ignoring_case(field.first, "content-type") &&
               field.second.starts_with("application/x-www-form-urlencoded");
    });
}

/** Calls `act` with each text that a listed member has, at any depth. */
template <class Value, class Act>
void for_each_secret(Value& in, const cassette_options& options, const Act& act)
{
    if (auto* array = in.if_array()) {
        for (auto& item : *array) for_each_secret(item, options, act);
    } else if (auto* object = in.if_object()) {
        for (auto& member : *object) {
            const bool is_secret = member.value().is_string() &&
                                   is_hidden(member.key(), hidden_member_names, options.hidden_members);
            if (is_secret)
                act(member.value());
            else
                for_each_secret(member.value(), options, act);
        }
    }
}

}  // namespace

bool is_hidden_header(std::string_view name, const cassette_options& options)
{
    return is_hidden(name, hidden_header_names, options.hidden_headers);
}

std::string without_parameters(std::string_view text, const cassette_options& options, bool is_query)
{
    constexpr std::string_view begins = "?#";
    constexpr std::string_view separates = "&#";
    const std::size_t first = is_query ? 0 : text.find_first_of(begins);
    if (first == std::string_view::npos) return std::string{text};
    std::size_t at = is_query ? 0 : first + 1;
    std::string result{text.substr(0, at)};
    for (;;) {
        const std::size_t end = std::min(text.find_first_of(separates, at), text.size());
        const std::string_view parameter = text.substr(at, end - at);
        const std::string_view name = parameter.substr(0, parameter.find('='));
        if (is_hidden(name, hidden_parameter_names, options.hidden_parameters))
            result.append(name).append("=").append(hidden_value);
        else
            result.append(parameter);
        if (end == text.size()) return result;
        result += text[end];
        at = end + 1;
    }
}

void hide_names(recorded_request& request, const cassette_options& options)
{
    request.url = without_parameters(request.url, options);
    if (!request.body) return;
    recorded_bytes& body = *request.body;
    if (body.json)
        for_each_secret(*body.json, options,
                        [](boost::json::value& secret) { secret = boost::json::string{hidden_value}; });
    else if (body.text && is_form(request))
        body.text = without_parameters(*body.text, options, true);
}

std::vector<secret_string> secrets_in_members(std::string_view body, const cassette_options& options)
{
    std::vector<secret_string> secrets;
    const std::optional<boost::json::value> json = try_parse_json(body);
    if (!json) return secrets;
    for_each_secret(*json, options, [&](const boost::json::value& secret) {
        const std::string_view text = secret.get_string();
        if (text.size() >= shortest_secret) secrets.emplace_back(text);
    });
    return secrets;
}

}  // namespace weft::net_detail
