#include <weft/agent/host/webhook_gate.hpp>

#include <weft/agent/host/webhook_signature.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/text/ascii_text.hpp>

#include <boost/json/object.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace weft {

namespace {

boost::json::value payload_of(const std::string& body)
{
    if (is_blank(body)) return boost::json::object{};
    try {
        return parse_json(body);
    } catch (const error&) {
        return boost::json::object{{"raw_body", body}};
    }
}

std::string_view path_without_query(std::string_view path) { return path.substr(0, path.find('?')); }

}  // namespace

webhook_answer refused_webhook(unsigned status, std::string_view why)
{
    webhook_answer answer;
    answer.status = status;
    answer.body = boost::json::object{{"error", boost::json::string_view{why}}};
    return answer;
}

void webhook_gate::add(webhook_route route)
{
    const auto refuse = [&](std::string detail) {
        throw error{errc::invalid_configuration, "webhook '" + route.path + "'", std::move(detail)};
    };
    if (!route.path.starts_with('/') || route.path.find('?') != std::string::npos)
        refuse("a path begins with '/' and has no '?'");
    if (route.secret && route.secret->empty()) refuse("its secret is empty: give one, or none");
    for (const webhook_route& one : routes_)
        if (one.path == route.path) refuse("it is there already: give each entry point a path of its own");
    routes_.push_back(std::move(route));
}

webhook_answer webhook_gate::receive(const webhook_request& request) const
{
    const std::string_view path = path_without_query(request.path);
    const auto found = std::find_if(routes_.begin(), routes_.end(),
                                    [path](const webhook_route& one) { return one.path == path; });
    if (found == routes_.end()) return refused_webhook(404, "unknown path");
    if (std::find(found->methods.begin(), found->methods.end(), request.method) == found->methods.end())
        return refused_webhook(405, "method not allowed");
    if (request.body.size() > found->body_bytes_max) return refused_webhook(413, "body too large");
    if (found->secret) {
        const std::string_view signature = request.headers.find("X-Hub-Signature-256").value_or(std::string_view{});
        if (!is_signed_webhook(request.body, signature, *found->secret))
            return refused_webhook(401, "signature missing or wrong");
    }
    webhook_answer answer;
    answer.body = boost::json::object{{"status", "accepted"}};
    answer.delivery.emplace();
    answer.delivery->entry_point = found->entry_point;
    answer.delivery->payload = payload_of(request.body);
    if (!found->key_header.empty())
        answer.delivery->idempotency_key = request.headers.find(found->key_header).value_or(std::string_view{});
    return answer;
}

}  // namespace weft
