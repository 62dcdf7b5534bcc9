#include "client_certificate.hpp"

#include "own_certificate.hpp"

#include <weft/base/error.hpp>

#include <string_view>

namespace weft::net_detail {

namespace {

pem_place certificate_place(const tls_options& options)
{
    if (!options.certificate_file.empty()) return {options.certificate_file, {}, true};
    return {"certificate_pem", options.certificate_pem, false};
}

pem_place key_place(const tls_options& options)
{
    if (!options.key_file.empty()) return {options.key_file, {}, true};
    if (!options.key_pem.empty()) return {"key_pem", options.key_pem.reveal(), false};
    return certificate_place(options);
}

}  // namespace

void use_client_certificate(SSL_CTX* context, const tls_options& options)
{
    if (!options.has_certificate()) {
        if (!options.has_key()) return;
        throw error{errc::invalid_configuration, key_place(options).name,
                    "there is a key and no certificate; name it with certificate_file"};
    }
    use_own_certificate(context, certificate_place(options), key_place(options), options.key_passphrase,
                        tls_side::client);
}

}  // namespace weft::net_detail
