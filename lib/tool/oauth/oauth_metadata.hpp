#pragma once

#include <weft/net/url.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** What a protected resource, such as an MCP server, says about who gives out tokens for it.
 *
 *  @par Source   RFC 9728 §2.
 */
struct oauth_resource_metadata {
    std::string resource{};                            ///< What tokens are for, as it stands in requests for them.
    std::vector<std::string> authorization_servers{};  ///< Their issuers.
    std::vector<std::string> scopes_supported{};

    /** @param server   The URL that a token is wanted for. `resource` must be of the same origin, and its path the
     *                  same or a folder above.
     *  @param where    Named in errors.
     *  @par Errors     `errc::mcp_unauthorized`: this is no such document, or that of another resource. */
    [[nodiscard]] static oauth_resource_metadata read(std::string_view json, const url& server,
                                                      const std::string& where);
};

/** What an authorization server says about itself.
 *
 *  @par Source   RFC 8414 §2; OpenID Connect Discovery 1.0 §3; RFC 9207 §3.
 */
struct oauth_server_metadata {
    std::string issuer{};
    std::optional<url> authorization_endpoint{};
    std::optional<url> token_endpoint{};
    std::optional<url> registration_endpoint{};
    std::vector<std::string> challenge_methods{};            ///< `code_challenge_methods_supported`.
    std::vector<std::string> client_authentication_methods{};  ///< `token_endpoint_auth_methods_supported`.
    bool knows_metadata_documents = false;  ///< `client_id_metadata_document_supported`.
    bool names_issuer = false;              ///< `authorization_response_iss_parameter_supported`.

    /** @param issuer   Whose metadata this must be, a URL; a `/` at the end makes no difference.
     *  @param where    Named in errors.
     *  @par Errors     `errc::mcp_unauthorized`: this is no such document, that of another issuer, or it names an
     *                  endpoint that is not https, or that is on this machine and the issuer is not. */
    [[nodiscard]] static oauth_server_metadata read(std::string_view json, std::string_view issuer,
                                                    const std::string& where);
};

/** The most that is read of a metadata document, in bytes. */
inline constexpr std::size_t oauth_document_bytes_max = 256 * 1024;

/** Where the metadata of a resource is looked for when the resource does not say it: below its path, then at the root.
 *  @par Source   RFC 9728 §3.1. */
[[nodiscard]] std::vector<url> oauth_resource_metadata_urls(const url& server);

/** Where the metadata of an authorization server may be, the likeliest first.
 *  @par Source   RFC 8414 §3.1; MCP 2025-11-25, "Authorization Server Metadata Discovery". */
[[nodiscard]] std::vector<url> oauth_server_metadata_urls(const url& issuer);

/** Where a URL for OAuth may lead to. */
enum class oauth_reach {
    https,         ///< Another machine, over https.
    this_machine,  ///< This machine as well, also without TLS: for servers that are here themselves.
};

/** What a server at `named_by` may name: only one on this machine leads to this machine. */
[[nodiscard]] oauth_reach oauth_reach_of(const url& named_by) noexcept;

/** A URL that a server names for OAuth.
 *  @param what    What the URL is, for errors.
 *  @param where   Named in errors.
 *  @par Errors    `errc::mcp_unauthorized`. */
[[nodiscard]] url read_oauth_url(std::string_view text, oauth_reach reach, std::string_view what,
                                 const std::string& where);

/** Whether two issuers are the same; a `/` at the end makes no difference. */
[[nodiscard]] bool is_same_issuer(std::string_view a, std::string_view b) noexcept;

}  // namespace weft
