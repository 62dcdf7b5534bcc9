#pragma once

#include <weft/serve/auth_options.hpp>

#include <filesystem>

namespace weft_cli {

/** Who may call a server, as a file in JSON says it.
 *
 *      {"api_keys": true,
 *       "jwt": {"issuer": "https://login.example", "audience": "weft",
 *               "jwks_url": "https://login.example/.well-known/jwks.json",
 *               "tenant_claim": "org_id", "scope_claim": "scope"},
 *       "certificates": [{"subject": "agent-7.example.com", "tenant": "acme", "scopes": ["threads:*"]}],
 *       "limits": {"requests_per_second": 50, "burst": 100, "open_requests": 200, "runs": 50},
 *       "audit_days": 90}
 *
 *  `jwks_file` names a file with the keys, beside this one, in place of `jwks_url`.
 *
 *  @par Errors   `usage_error`: the file cannot be read, or sets no way to authenticate; the error names the place in
 *                it. */
[[nodiscard]] weft::auth_options read_auth_file(const std::filesystem::path& file);

}  // namespace weft_cli
