#include "oauth_discovery.hpp"

#include <weft/base/error.hpp>

#include "tool/rpc/mcp_text.hpp"

#include <algorithm>

namespace weft {

namespace {

constexpr std::size_t issuers_shown_max = 500;

std::string list_of(const std::vector<std::string>& issuers)
{
    std::string list;
    for (const std::string& issuer : issuers) list += (list.empty() ? "'" : ", '") + issuer + "'";
    return mcp_detail::harmless_text(list, issuers_shown_max);
}

}  // namespace

oauth_search::oauth_search(url server, std::string_view resource_metadata, std::string issuer)
    : server_{std::move(server)}, where_{server_.endpoint()}, issuer_{std::move(issuer)}
{
    if (resource_metadata.empty()) candidates_ = oauth_resource_metadata_urls(server_);
    else
        candidates_.push_back(read_oauth_url(resource_metadata, oauth_reach_of(server_),
                                             "the resource_metadata of the server", where_));
}

void oauth_search::on_response(int status, std::string_view body)
{
    if (status == 200) {
        if (!has_resource_) return read_resource(body);
        found_.server = oauth_server_metadata::read(body, issuer_, where_);
        is_done_ = true;
        return;
    }
    // The metadata may stand at one of several places (RFC 8414 §3.1, RFC 9728 §3.1): a refusal leads to the next one,
    // a failure of the server does not, which asking elsewhere would hide.
    const bool is_elsewhere = status >= 400 && status < 500;
    const url asked = candidates_.front();
    if (is_elsewhere) candidates_.erase(candidates_.begin());
    if (is_elsewhere && !candidates_.empty()) return;
    throw error{errc::mcp_unauthorized, where_,
                std::string{"the server wants a token, and the metadata of its "} +
                    (has_resource_ ? "authorization server" : "own") + " are not to be had: " + asked.to_string() +
                    " answers with HTTP status " + std::to_string(status)};
}

void oauth_search::read_resource(std::string_view body)
{
    found_.resource = oauth_resource_metadata::read(body, server_, where_);
    has_resource_ = true;
    // An issuer that was given must be one that the resource names.
    issuer_ = choose_issuer();
    const url issuer = read_oauth_url(issuer_, oauth_reach_of(server_), "the authorization server", where_);
    candidates_ = oauth_server_metadata_urls(issuer);
}

std::string oauth_search::choose_issuer() const
{
    const std::vector<std::string>& named = found_.resource.authorization_servers;
    // RFC 9728 leaves the choice among several to the client.
    if (issuer_.empty()) return named.front();
    const auto found = std::find_if(named.begin(), named.end(),
                                    [&](const std::string& one) { return is_same_issuer(one, issuer_); });
    if (found != named.end()) return *found;
    throw error{errc::mcp_unauthorized, where_,
                "the server takes tokens of " + list_of(named) + ", and not of the issuer that was given, '" + issuer_ +
                    "'"};
}

}  // namespace weft
