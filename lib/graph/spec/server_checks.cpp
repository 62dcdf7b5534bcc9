#include "server_checks.hpp"

#include <weft/base/text/ascii_text.hpp>
#include <weft/graph/spec/environment_references.hpp>

#include <algorithm>

namespace weft::spec_detail {

namespace {

constexpr std::size_t server_name_max = 24;  // as `mcp_tools_options::prefix`

/** It stands before the names of its tools, and `__` ends it there. */
bool is_server_name(std::string_view name)
{
    const auto is_allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    return !name.empty() && name.size() <= server_name_max && std::all_of(name.begin(), name.end(), is_allowed) &&
           name.find("__") == name.npos && name.back() != '_';
}

void check_oauth(compilation& in, const mcp_spec& server, const json_path& at)
{
    const mcp_oauth_spec& from = *server.oauth;
    const auto is_authorization = [](const auto& header) { return ascii_lower_case(header.first) == "authorization"; };
    if (server.url.empty()) in.mistake(at, "is for a server with a \"url\"");
    if (std::any_of(server.headers.begin(), server.headers.end(), is_authorization))
        in.mistake(at, "the header Authorization is given as well: keep one of the two");
    if (!from.client_secret.empty() && !is_reference(from.client_secret))
        in.mistake(json_path{at, "client_secret"},
                   "a secret does not stand in a file: put it into a variable of the environment and write its "
                   "name, as in \"${BOOKING_SECRET}\"");
    if (!from.client_secret.empty() && from.client_id.empty())
        in.mistake(json_path{at, "client_secret"}, "belongs to a \"client_id\": give it");
    // Otherwise the server itself would name, by its metadata, where the secret is sent.
    if (!from.client_secret.empty() && from.issuer.empty())
        in.mistake(json_path{at, "client_secret"},
                   "goes to one authorization server only: give its \"issuer\", e.g. https://login.example");
    if (from.grant == mcp_oauth_grant::client_credentials && from.client_secret.empty())
        in.mistake(json_path{at, "grant"},
                   "client_credentials are a \"client_id\" and a \"client_secret\": give both");
}

void check_server(compilation& in, const std::string& name, const mcp_spec& from, const json_path& at)
{
    if (!is_server_name(name))
        in.around.mistakes.add_at_name(at, "a server's name is at most 24 of letters, digits, - and _, without __ and "
                                            "without _ at its end");
    if (from.command.empty() == from.url.empty() && !in.around.mistakes.has_any_in(json_path{at, "url"}))
        in.missing(at, "command", "a server is a program or a URL: give either \"command\" or \"url\"");
    if (!from.command.empty() && from.command.front().empty())
        in.mistake(json_path{at, "command"}, "begins with an empty text: the first is the program");
    if (!from.environment.empty() && from.command.empty())
        in.mistake(json_path{at, "environment"}, "is for a program, which has a \"command\"");
    if (!from.headers.empty() && from.url.empty())
        in.mistake(json_path{at, "headers"}, "are for a server with a \"url\"");
    if (from.timeout && from.timeout->span().count() <= 0)
        in.mistake(json_path{at, "timeout"}, "is longer than nothing, e.g. 30s");
    const json_path headers{at, "headers"};
    for (const auto& [header, value] : from.headers)
        if (is_secret_header(header) && value.find("${") == value.npos)
            in.mistake(json_path{headers, std::string_view{header}},
                       "a secret does not stand in a file: put it into a variable of the environment and write its "
                       "name, as in \"${BOOKING_TOKEN}\"");
    if (from.oauth) check_oauth(in, from, json_path{at, "oauth"});
}

}  // namespace

void check_servers(compilation& in)
{
    const json_path at{in.at, "mcp"};
    if (in.around.depth > 0 && !in.spec.mcp.empty())
        return in.mistake(at, "servers belong to the outermost graph, whose nodes and inner graphs share them: name "
                              "them there");
    for (const auto& [name, server] : in.spec.mcp)
        check_server(in, name, server, json_path{at, std::string_view{name}});
}

}  // namespace weft::spec_detail
