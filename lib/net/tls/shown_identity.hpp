#pragma once

#include <weft/net/options/client_identity.hpp>

#include <openssl/ssl.h>

#include <optional>

namespace weft::net_detail {

/** Who the peer is by the certificate that it has shown and that was checked; empty if it has shown none. */
[[nodiscard]] std::optional<client_identity> shown_identity(const SSL* connection);

}  // namespace weft::net_detail
