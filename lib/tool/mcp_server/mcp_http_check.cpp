#include "mcp_http_check.hpp"

#include <weft/base/json/json_peek.hpp>
#include <weft/tool/mcp_server/mcp_refusals.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace weft::mcp_detail {

namespace {

using boost::json::object;
using boost::json::value;

constexpr const char* version_meta = "io.modelcontextprotocol/protocolVersion";
constexpr const char* capabilities_meta = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* client_meta = "io.modelcontextprotocol/clientInfo";
constexpr const char* level_meta = "io.modelcontextprotocol/logLevel";
constexpr std::size_t client_name_max = 200;

http_refusal refused_with(int status, std::int64_t code, std::string message, value data = nullptr)
{
    return {status, json_rpc_error{code, std::move(message), std::move(data)}};
}

std::string_view without_port(std::string_view host) noexcept
{
    const std::size_t bracket = host.rfind(']');
    const std::size_t colon = host.rfind(':');
    const bool has_port = colon != host.npos && (bracket == host.npos || colon > bracket);
    return has_port ? host.substr(0, colon) : host;
}

bool is_among(std::span<const std::string> names, std::string_view name)
{
    return std::any_of(names.begin(), names.end(),
                       [name](const std::string& each) { return each == "*" || equals_ignoring_case(each, name); });
}

bool is_this_machine(std::string_view host)
{
    constexpr std::array<std::string_view, 3> own{"localhost", "127.0.0.1", "[::1]"};
    const auto is_host = [host](std::string_view name) { return equals_ignoring_case(name, host); };
    return std::any_of(own.begin(), own.end(), is_host);
}

template <std::size_t N>
bool is_version_of(const std::array<std::string_view, N>& all, std::string_view version) noexcept
{
    return std::find(all.begin(), all.end(), version) != all.end();
}

const object* meta_of(const json_rpc_message& message) { return peek_object(message.params(), "_meta"); }

http_refusal unsupported_version(std::string_view requested)
{
    boost::json::array supported;
    for (const std::string_view each : mcp_modern_versions) supported.emplace_back(each);
    object data{{"supported", std::move(supported)}, {"requested", requested}};
    return refused_with(400, json_rpc_code::unsupported_version, "Unsupported protocol version", std::move(data));
}

/** A header that must say the same as the body. */
std::optional<http_refusal> compare_header(const http_headers& headers, std::string_view name, std::string_view wanted)
{
    const auto given = headers.find(name);
    const std::optional<std::string> text = given ? mcp_header_text(*given) : std::nullopt;
    if (text && *text == wanted) return std::nullopt;
    const char* const why = given ? " does not say what the body says" : " is missing";
    return refused_with(400, json_rpc_code::header_mismatch, "the header " + std::string{name} + why);
}

std::optional<http_refusal> check_modern_headers(const http_headers& headers, const json_rpc_message& message,
                                                 std::string_view version)
{
    if (auto wrong = compare_header(headers, "MCP-Protocol-Version", version)) return wrong;
    for (const auto& [name, text] : mcp_request_headers(message.method(), message.params())) {
        const std::optional<std::string> wanted = mcp_header_text(text);
        if (auto wrong = compare_header(headers, name, wanted.value_or(text))) return wrong;
    }
    return std::nullopt;
}

}  // namespace

std::optional<http_refusal> check_caller_of(const http_request_head& head, std::span<const std::string> hosts,
                                            std::span<const std::string> origins)
{
    const std::string_view host = without_port(head.host);
    const bool is_known = hosts.empty() ? is_this_machine(host) : is_among(hosts, host);
    if (!is_known)
        return refused_with(403, json_rpc_code::invalid_request,
                            "the server is not known under the name " + std::string{host});
    const auto origin = head.headers.find("origin");
    if (!origin || is_among(origins, *origin)) return std::nullopt;
    // Whether the page came by TLS is not asked: a proxy in front may have ended it.
    const std::size_t slashes = origin->find("://");
    const std::string_view page = slashes == origin->npos ? std::string_view{} : origin->substr(slashes + 3);
    if (!page.empty() && equals_ignoring_case(page, head.host)) return std::nullopt;
    return refused_with(403, json_rpc_code::invalid_request,
                        "pages of " + std::string{*origin} + " may not use the server");
}

std::optional<http_refusal> check_post_head(const http_headers& headers)
{
    if (headers.media_type() != "application/json")
        return refused_with(415, json_rpc_code::invalid_request, "Content-Type: expected application/json");
    // Programs that say nothing take anything.
    const auto accepts = headers.find("accept").value_or("*/*");
    const auto takes = [accepts](std::string_view type) { return accepts.find(type) != accepts.npos; };
    const bool takes_both = takes("*/*") || (takes("application/json") && takes("text/event-stream"));
    if (takes_both) return std::nullopt;
    return refused_with(406, json_rpc_code::invalid_request,
                        "Accept: the answer is application/json or text/event-stream; both must be accepted");
}

mcp_era era_of(const json_rpc_message& message)
{
    const object* const meta = meta_of(message);
    return meta && meta->contains(version_meta) ? mcp_era::modern : mcp_era::legacy;
}

mcp_era era_of(const http_headers& headers, const json_rpc_message& message)
{
    const auto version = headers.find("mcp-protocol-version");
    const bool is_modern = version && is_version_of(mcp_modern_versions, *version);
    // What asks for no handshake, in a way that only the modern era knows, is of a revision that is still to come.
    const bool has_own_method = message.method() == "server/discover" || headers.contains("mcp-method");
    const bool knows_header = version && has_own_method && message.method() != "initialize";
    return is_modern || knows_header ? mcp_era::modern : era_of(message);
}

modern_request read_modern_request(const json_rpc_message& message, const http_headers* headers)
{
    modern_request read;
    const object* const meta = meta_of(message);
    const std::string_view version = meta ? peek_text(*meta, version_meta) : std::string_view{};
    const auto refuse = [&read](std::string why) {
        read.refused = refused_with(400, json_rpc_code::invalid_params, std::move(why));
    };
    if (version.empty()) return refuse("params._meta." + std::string{version_meta} + ": is required"), read;
    if (headers)
        if (auto wrong = check_modern_headers(*headers, message, version)) return read.refused = std::move(wrong), read;
    if (!is_version_of(mcp_modern_versions, version)) return read.refused = unsupported_version(version), read;
    const object* const capabilities = peek_object(*meta, capabilities_meta);
    if (!capabilities)
        return refuse("params._meta." + std::string{capabilities_meta} + ": is required, an object"), read;
    read.client.era = mcp_era::modern;
    read.client.version = version;
    read.client.capabilities = *capabilities;
    if (const object* const info = peek_object(*meta, client_meta))
        read.client.name = peek_text(*info, "name").substr(0, client_name_max);
    read.client.log_level = peek_text(*meta, level_meta);
    if (!read.client.log_level.empty() && !is_mcp_log_level(read.client.log_level))
        refuse("params._meta." + std::string{level_meta} + ": there is no such level");
    return read;
}

std::optional<http_refusal> check_argument_headers(const http_headers& headers, const mcp_argument_headers& rules,
                                                   const json_rpc_message& message)
{
    const object* const given = peek_object(message.params(), "arguments");
    for (const auto& [name, text] : rules.of(given ? *given : object{})) {
        const std::optional<std::string> wanted = mcp_header_text(text);
        if (auto wrong = compare_header(headers, name, wanted.value_or(text))) return wrong;
    }
    for (const std::string& name : rules.absent(given ? *given : object{}))
        if (headers.contains(name))
            return refused_with(400, json_rpc_code::header_mismatch,
                                "the header " + name + " is for an argument that is not given");
    return std::nullopt;
}

std::optional<http_refusal> check_legacy_version(const http_headers& headers)
{
    const auto version = headers.find("mcp-protocol-version");
    if (!version || is_version_of(mcp_legacy_versions, *version)) return std::nullopt;
    std::string known;
    for (const std::string_view each : mcp_legacy_versions) known.append(known.empty() ? "" : ", ").append(each);
    return refused_with(400, json_rpc_code::invalid_request,
                        "MCP-Protocol-Version: expected one of " + known + " in a session");
}

mcp_peer read_initialize(const object& params)
{
    const std::string_view asked = peek_text(params, "protocolVersion");
    if (asked.empty())
        throw mcp_rejection{json_rpc_code::invalid_params, "params.protocolVersion: expected a revision"};
    mcp_peer client;
    // A client that cannot speak ours takes its leave.
    client.version = is_version_of(mcp_legacy_versions, asked) ? asked : mcp_legacy_versions.front();
    if (const object* const can = peek_object(params, "capabilities")) client.capabilities = *can;
    if (const object* const info = peek_object(params, "clientInfo"))
        client.name = peek_text(*info, "name").substr(0, client_name_max);
    return client;
}

int status_of(const json_rpc_message& answer, mcp_era era) noexcept
{
    if (era == mcp_era::legacy || answer.what() != json_rpc_message::kind::error) return 200;
    switch (answer.why().code) {
    case json_rpc_code::method_not_found: return 404;
    case json_rpc_code::unsupported_version:
    case json_rpc_code::missing_capability:
    case json_rpc_code::header_mismatch: return 400;
    default: return 200;
    }
}

}  // namespace weft::mcp_detail
