#pragma once

#include <weft/net/url.hpp>

#include "oauth_metadata.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** Who gives out tokens for a protected resource. */
struct oauth_discovery {
    oauth_resource_metadata resource{};
    oauth_server_metadata server{};
};

/** Finds out who gives out tokens for a protected resource: says which document to fetch next, from what was fetched
 *  before. Does no I/O.
 *
 *      while (!search.is_done()) {
 *          fetch search.target(), and tell search.on_response(status, body)
 *      }
 *
 *  At most five documents: the metadata of the resource, where the server says or at two well-known places, then those
 *  of one authorization server at up to three.
 *
 *  @par Thread safety   As a value.
 *  @par Source          MCP 2025-11-25, "Authorization", discovery; RFC 8414, RFC 9728.
 */
class oauth_search {
public:
    /** @param server              The URL of the protected resource.
     *  @param resource_metadata   Where it says that its metadata are; empty: at the well-known places.
     *  @param issuer              The authorization server that is wanted; empty: the first that is named.
     *  @par Errors                `errc::mcp_unauthorized`: the place cannot be used. */
    oauth_search(url server, std::string_view resource_metadata, std::string issuer);

    [[nodiscard]] bool is_done() const noexcept { return is_done_; }
    /** The document to fetch; before the search is done. */
    [[nodiscard]] const url& target() const { return candidates_.front(); }
    /** @param body   As much as `oauth_document_bytes_max` and one byte more.
     *  @par Errors   `errc::mcp_unauthorized`: there is no such document, or it cannot be used. */
    void on_response(int status, std::string_view body);

    /** After the search is done. */
    [[nodiscard]] const oauth_discovery& found() const noexcept { return found_; }

private:
    void read_resource(std::string_view body);
    [[nodiscard]] std::string choose_issuer() const;

    url server_;
    std::string where_;
    std::string issuer_;
    std::vector<url> candidates_;
    bool has_resource_ = false;
    bool is_done_ = false;
    oauth_discovery found_;
};

}  // namespace weft
