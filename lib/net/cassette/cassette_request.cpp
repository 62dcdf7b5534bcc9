#include "cassette_request.hpp"

#include "hidden_names.hpp"

#include <weft/base/json/json_reading.hpp>
#include <weft/base/text/base64.hpp>
#include <weft/base/utf8.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace weft::net_detail {

namespace {

constexpr std::size_t secret_size_min = 4;    // a shorter one would stand in half of all words
constexpr std::size_t body_depth_max = 48;    // the file nests it once more

using secret_list = std::vector<secret_string>;

std::string without_secrets(std::string_view text, const secret_list& secrets)
{
    std::string clean{text};
    for (const secret_string& secret : secrets) clean = secret.scrub(clean);
    return clean;
}

/** Addresses in headers have parameters as a URL has. */
bool has_address(std::string_view header)
{
    return equals_ignoring_case(header, "location") || equals_ignoring_case(header, "content-location") ||
           equals_ignoring_case(header, "refresh");
}

/** The value without secrets, members sorted by name. Nested no deeper than `body_depth_max`: the parser saw to it. */
boost::json::value canonical(const boost::json::value& from, const secret_list& secrets)
{
    if (const auto* text = from.if_string())
        return boost::json::value(without_secrets(std::string_view{*text}, secrets));
    if (const auto* array = from.if_array()) {
        boost::json::array result;
        for (const boost::json::value& item : *array) result.push_back(canonical(item, secrets));
        return result;
    }
    const auto* object = from.if_object();
    if (!object) return from;
    std::vector<std::pair<std::string, const boost::json::value*>> members;
    for (const auto& member : *object)
        members.emplace_back(without_secrets(std::string_view{member.key()}, secrets), &member.value());
    std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    boost::json::object result;
    for (const auto& [name, value] : members) result[name] = canonical(*value, secrets);
    return result;
}

recorded_bytes body_without_secrets(const std::string& body, const secret_list& secrets)
{
    const std::optional<boost::json::value> json = try_parse_json(body, json_reading{.depth_max = body_depth_max});
    recorded_bytes result;
    if (json)
        result.json = canonical(*json, secrets);
    else if (const std::string clean = without_secrets(body, secrets); is_valid_utf8(clean))
        result.text = clean;
    else
        result.base64 = to_base64(clean);
    return result;
}

recorded_headers headers_without_secrets(const http_headers& headers, const cassette_options& options,
                                         const secret_list& secrets)
{
    recorded_headers result;
    for (std::size_t i = 0; i < headers.size(); ++i) {
        const http_headers::field field = headers[i];
        const bool is_hidden = is_hidden_header(field.name, options);
        std::string value{is_hidden ? hidden_value : field.value};
        if (has_address(field.name)) value = without_parameters(value, options);
        value = without_secrets(value, secrets);
        result.emplace_back(field.name, repaired_utf8(value));
    }
    return result;
}

/** Depends on neither the order of members nor the type of an integer, as the comparison of values does not. */
std::size_t hash_of(const boost::json::value& value)
{
    const auto mixed = [](std::size_t a, std::size_t b) {
        return (a ^ b) * std::size_t{0x9e37'79b9'7f4a'7c15} + (a >> 31);
    };
    const std::hash<std::string_view> of_text;
    if (const auto* object = value.if_object()) {
        std::size_t sum = object->size();
        for (const auto& member : *object)
            sum += mixed(of_text(std::string_view{member.key()}), hash_of(member.value()));
        return sum;
    }
    if (const auto* array = value.if_array()) {
        std::size_t all = array->size() + 1;
        for (const boost::json::value& item : *array) all = mixed(all, hash_of(item));
        return all;
    }
    if (const auto* text = value.if_string()) return of_text(std::string_view{*text});
    if (const auto* number = value.if_int64()) return static_cast<std::size_t>(*number);
    if (const auto* number = value.if_uint64()) return static_cast<std::size_t>(*number);
    if (const auto* number = value.if_double()) return std::hash<double>{}(*number);
    return value.is_null() ? 2 : value.get_bool() ? 1 : 0;
}

bool is_same_body(const std::optional<recorded_bytes>& a, const std::optional<recorded_bytes>& b)
{
    if (!a || !b) return !a && !b;
    return a->json == b->json && a->text == b->text && a->base64 == b->base64;
}

}  // namespace

std::vector<secret_string> secrets_to_hide(const http_request& request, const cassette_options& options)
{
    secret_list secrets;
    const auto add = [&](const secret_string& secret) {
        if (secret.reveal().size() >= secret_size_min) secrets.push_back(secret);
    };
    for (const auto& header : request.secrets()) add(header.secret);
    for (const secret_string& secret : options.secrets) add(secret);
    return secrets;
}

recorded_response recorded_form(const http_response_head& head, const cassette_options& options,
                                const std::vector<secret_string>& secrets)
{
    recorded_response result;
    result.status = head.status;
    result.reason = repaired_utf8(without_secrets(head.reason, secrets));
    result.headers = headers_without_secrets(head.headers, options, secrets);
    return result;
}

recorded_request recorded_form(const http_request& request, const cassette_options& options)
{
    const secret_list secrets = secrets_to_hide(request, options);
    recorded_request result;
    result.method = request.method();
    result.url = without_secrets(without_parameters(request.target().to_string(), options), secrets);
    result.headers = headers_without_secrets(request.headers(), options, secrets);
    for (const auto& header : request.secrets()) result.headers.emplace_back(header.name, header.prefix + "***");
    if (!request.body().empty()) result.body = body_without_secrets(request.body(), secrets);
    hide_names(result, options);
    return result;
}

bool is_same_request(const recorded_request& a, const recorded_request& b)
{
    return a.method == b.method && a.url == b.url && is_same_body(a.body, b.body);
}

std::size_t hash_of(const recorded_request& request)
{
    const std::hash<std::string> of_text;
    std::size_t sum = of_text(request.method) * 31 + of_text(request.url);
    if (!request.body) return sum;
    const recorded_bytes& body = *request.body;
    if (body.json) sum = sum * 31 + hash_of(*body.json);
    if (body.text) sum = sum * 31 + of_text(*body.text);
    if (body.base64) sum = sum * 31 + of_text(*body.base64);
    return sum;
}

}  // namespace weft::net_detail
