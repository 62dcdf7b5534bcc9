#include "oauth_metadata.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>

#include "oauth_challenge.hpp"
#include "tool/rpc/mcp_text.hpp"

#include <algorithm>

namespace weft {

namespace {

constexpr std::size_t shown_max = 200;
constexpr std::size_t list_items_max = 256;

[[noreturn]] void refuse(const std::string& where, std::string detail)
{
    throw error{errc::mcp_unauthorized, where, std::move(detail)};
}

std::string shown(std::string_view text) { return "'" + mcp_detail::harmless_text(text, shown_max) + "'"; }

boost::json::object read_document(std::string_view json, std::string_view what, const std::string& where)
{
    std::string why = "it is no JSON object";
    try {
        if (json.size() > oauth_document_bytes_max) refuse(where, std::string{what} + " is too large");
        boost::json::value read = parse_json(json);
        if (boost::json::object* object = read.if_object()) return std::move(*object);
    } catch (const error& e) {
        if (e.code() != errc::invalid_json) throw;
        why = e.what();
    }
    refuse(where, std::string{what} + " cannot be read: " + why);
}

std::vector<std::string> texts_of(const boost::json::object& in, std::string_view name)
{
    std::vector<std::string> texts;
    const boost::json::array* items = peek_array(in, name);
    if (!items) return texts;
    for (const boost::json::value& item : *items) {
        if (texts.size() == list_items_max) break;
        if (const std::string_view text = peek_text(&item); !text.empty()) texts.emplace_back(text);
    }
    return texts;
}

std::string_view path_of(const url& of) { return std::string_view{of.target()}.substr(0, of.target().find('?')); }

std::string_view without_last_slash(std::string_view text) noexcept
{
    return text.ends_with('/') ? text.substr(0, text.size() - 1) : text;
}

/** Whether `resource` is `server`, or a folder above it. */
bool covers(const url& resource, const url& server)
{
    if (resource.origin() != server.origin()) return false;
    const std::string_view above = without_last_slash(path_of(resource));
    const std::string_view path = path_of(server);
    return path.starts_with(above) && (path.size() == above.size() || path[above.size()] == '/');
}

std::optional<url> endpoint_of(const boost::json::object& in, std::string_view name, oauth_reach reach,
                               const std::string& where)
{
    const std::string_view text = peek_text(in, name);
    if (text.empty()) return std::nullopt;
    return read_oauth_url(text, reach, "the " + std::string{name} + " of the authorization server", where);
}

url well_known(const url& of, std::string_view document, std::string_view path)
{
    return url{of.origin() + "/.well-known/" + std::string{document} + std::string{path}};
}

}  // namespace

oauth_resource_metadata oauth_resource_metadata::read(std::string_view json, const url& server,
                                                      const std::string& where)
{
    const boost::json::object from = read_document(json, "the metadata of the protected resource", where);
    oauth_resource_metadata read;
    read.resource = peek_text(from, "resource");
    const url resource = read_oauth_url(read.resource, oauth_reach_of(server), "the resource in the metadata", where);
    if (!covers(resource, server))
        refuse(where, "the metadata is that of another resource, " + shown(read.resource) +
                          ": a token for it is not asked for");
    read.authorization_servers = texts_of(from, "authorization_servers");
    if (read.authorization_servers.empty())
        refuse(where, "the metadata of the protected resource names no authorization server");
    for (std::string& scope : texts_of(from, "scopes_supported"))
        if (is_oauth_scope(scope)) read.scopes_supported.push_back(std::move(scope));
    return read;
}

oauth_server_metadata oauth_server_metadata::read(std::string_view json, std::string_view issuer,
                                                  const std::string& where)
{
    const boost::json::object from = read_document(json, "the metadata of the authorization server", where);
    oauth_server_metadata read;
    read.issuer = peek_text(from, "issuer");
    if (!is_same_issuer(read.issuer, issuer))
        refuse(where, "the metadata at " + shown(issuer) + " is that of another issuer, " + shown(read.issuer));
    const oauth_reach reach = oauth_reach_of(url{issuer});
    read.authorization_endpoint = endpoint_of(from, "authorization_endpoint", reach, where);
    read.token_endpoint = endpoint_of(from, "token_endpoint", reach, where);
    read.registration_endpoint = endpoint_of(from, "registration_endpoint", reach, where);
    if (!read.token_endpoint) refuse(where, "the metadata of the authorization server names no token_endpoint");
    read.challenge_methods = texts_of(from, "code_challenge_methods_supported");
    read.client_authentication_methods = texts_of(from, "token_endpoint_auth_methods_supported");
    read.knows_metadata_documents = peek_flag(from, "client_id_metadata_document_supported", false);
    read.names_issuer = peek_flag(from, "authorization_response_iss_parameter_supported", false);
    return read;
}

std::vector<url> oauth_resource_metadata_urls(const url& server)
{
    constexpr std::string_view document = "oauth-protected-resource";
    std::vector<url> urls;
    if (server.target() != "/") urls.push_back(well_known(server, document, server.target()));
    urls.push_back(well_known(server, document, ""));
    return urls;
}

std::vector<url> oauth_server_metadata_urls(const url& issuer)
{
    const std::string_view path = without_last_slash(path_of(issuer));
    std::vector<url> urls{well_known(issuer, "oauth-authorization-server", path),
                          well_known(issuer, "openid-configuration", path)};
    if (!path.empty()) urls.emplace_back(issuer.origin() + std::string{path} + "/.well-known/openid-configuration");
    return urls;
}

oauth_reach oauth_reach_of(const url& named_by) noexcept
{
    return named_by.host_is_loopback() ? oauth_reach::this_machine : oauth_reach::https;
}

url read_oauth_url(std::string_view text, oauth_reach reach, std::string_view what, const std::string& where)
{
    std::string why;
    try {
        url read{text};
        const bool is_here = read.host_is_loopback();
        if (is_here ? reach == oauth_reach::this_machine : read.is_https()) return read;
        why = is_here ? "it leads to this machine, and the server that names it is elsewhere" : "it is not https";
    } catch (const error& e) {
        if (e.code() != errc::invalid_url) throw;
        why = e.detail();
    }
    refuse(where, std::string{what} + ", " + shown(text) + ", is not used: " + why);
}

bool is_same_issuer(std::string_view a, std::string_view b) noexcept
{
    return !a.empty() && without_last_slash(a) == without_last_slash(b);
}

}  // namespace weft
