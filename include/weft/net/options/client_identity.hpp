#pragma once

#include <string>
#include <vector>

namespace weft {

/** Who a client is, by the certificate that it has shown and that was checked. */
struct client_identity {
    std::string common_name;             ///< Of the subject; may be empty.
    std::vector<std::string> dns_names;  ///< Of the subjectAltName, 64 at most.
    std::string fingerprint;             ///< SHA-256 of the certificate, in lower-case hexadecimal digits.
};

}  // namespace weft
