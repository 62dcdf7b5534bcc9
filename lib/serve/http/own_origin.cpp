#include "own_origin.hpp"

#include <weft/net/server/http_error.hpp>

#include <string>
#include <utility>

namespace weft::serve_detail {

namespace {

/** A host without the port that its scheme has anyway. */
std::string_view without_usual_port(std::string_view host, std::string_view port) noexcept
{
    if (host.ends_with(port)) host.remove_suffix(port.size());
    return host;
}

}  // namespace

bool is_own_origin(std::string_view origin, std::string_view host, std::string_view allowed) noexcept
{
    if (allowed == "*" || (!allowed.empty() && origin == allowed)) return true;
    // Whether the client came by TLS is not asked: a proxy in front may have ended it.
    for (const auto& [scheme, port] : {std::pair{"http://", ":80"}, std::pair{"https://", ":443"}}) {
        if (!origin.starts_with(scheme)) continue;
        origin.remove_prefix(std::string_view{scheme}.size());
        return !host.empty() &&
               equals_ignoring_case(without_usual_port(origin, port), without_usual_port(host, port));
    }
    return false;
}

void require_own_origin(const http_request_head& head, std::string_view allowed)
{
    for (std::size_t i = 0; i < head.headers.size(); ++i) {
        const http_headers::field field = head.headers[i];
        if (!equals_ignoring_case(field.name, "origin") || is_own_origin(field.value, head.host, allowed)) continue;
        throw http_error{403, "wrong_origin", "pages of " + std::string{field.value} + " may not use the server"};
    }
}

}  // namespace weft::serve_detail
