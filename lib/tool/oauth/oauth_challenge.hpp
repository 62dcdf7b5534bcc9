#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** What a server that wants an OAuth token says in `WWW-Authenticate`. All texts are the server's: untrusted.
 *
 *  @par Source   RFC 6750 §3; RFC 9110 §11.6.1; RFC 9728 §5.1.
 */
struct oauth_challenge {
    std::string error{};              ///< E.g. `invalid_token`, `insufficient_scope`; empty if none is named.
    std::string scope{};              ///< The scopes that are needed, with blanks between them.
    std::string resource_metadata{};  ///< The URL of the metadata of the protected resource.

    /** Reads the first challenge of the scheme `Bearer`. A parameter that is given twice keeps its first value;
     *  parameters of other names, and other schemes, are skipped.
     *
     *  @param header   The value of the header; those of several, with commas between them.
     *  @return         Nothing if there is no such challenge. */
    [[nodiscard]] static std::optional<oauth_challenge> read(std::string_view header);
};

/** Whether a text may be a list of scopes: printable ASCII without quotes and backslashes, with single blanks.
 *  @par Source   RFC 6749 §3.3. */
[[nodiscard]] bool is_oauth_scope(std::string_view text) noexcept;

}  // namespace weft
