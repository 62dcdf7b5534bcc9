#pragma once

#include <weft/net/secret_string.hpp>

#include <string>
#include <string_view>

namespace weft {

/** What the sender of a webhook writes into `X-Hub-Signature-256`: `sha256=` and 64 hexadecimal digits, the HMAC of the
 *  body as it stands on the wire.
 *
 *  @par Errors   `errc::invalid_configuration`: OpenSSL has no HMAC with SHA-256 in this configuration.
 *  @par Source   RFC 2104; GitHub, "Validating webhook deliveries". */
[[nodiscard]] std::string webhook_signature(std::string_view body, const secret_string& secret);

/** Whether a body was signed with the secret. Takes the same time wherever the two differ.
 *  @param signature   The value of the header. */
[[nodiscard]] bool is_signed_webhook(std::string_view body, std::string_view signature, const secret_string& secret);

}  // namespace weft
