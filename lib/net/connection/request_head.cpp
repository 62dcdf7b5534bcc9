#include "request_head.hpp"

#include "proxy_tunnel.hpp"

namespace weft::net_detail {

namespace {

void append_field(std::string& out, std::string_view name, std::string_view value)
{
    out.append(name).append(": ").append(value).append("\r\n");
}

/** Methods whose meaning includes a body say its length even when it is empty (RFC 9110 §8.6). */
bool states_length(const http_request& request)
{
    const std::string& method = request.method();
    return !request.body().empty() || method == "POST" || method == "PUT" || method == "PATCH";
}

std::size_t head_size(const http_request& request)
{
    std::size_t size = 256 + request.target().target().size() + 2 * request.target().host().size();
    for (std::size_t i = 0; i < request.headers().size(); ++i)
        size += request.headers()[i].name.size() + request.headers()[i].value.size() + 4;
    for (const auto& s : request.secrets()) size += s.name.size() + s.prefix.size() + s.secret.reveal().size() + 4;
    return size;
}

}  // namespace

void append_request_head(std::string& out, const http_request& request, std::string_view user_agent,
                         const proxy_server* forwarder)
{
    // One allocation: a block that grows would leave copies of secrets behind.
    const std::size_t for_proxy = forwarder ? proxy_authorization_size(*forwarder) : 0;
    out.reserve(out.size() + head_size(request) + user_agent.size() + for_proxy);
    const std::string target = forwarder ? request.target().to_string() : request.target().target();
    out.append(request.method()).append(" ").append(target).append(" HTTP/1.1\r\n");
    append_field(out, "Host", request.target().authority());
    if (forwarder) append_proxy_authorization(out, *forwarder);
    if (!request.headers().contains("user-agent") && !user_agent.empty()) append_field(out, "User-Agent", user_agent);
    for (std::size_t i = 0; i < request.headers().size(); ++i)
        append_field(out, request.headers()[i].name, request.headers()[i].value);
    for (const auto& s : request.secrets())
        out.append(s.name).append(": ").append(s.prefix).append(s.secret.reveal()).append("\r\n");
    if (request.streams_body()) append_field(out, "Transfer-Encoding", "chunked");
    else if (states_length(request)) append_field(out, "Content-Length", std::to_string(request.body().size()));
    out.append("\r\n");
}

}  // namespace weft::net_detail
