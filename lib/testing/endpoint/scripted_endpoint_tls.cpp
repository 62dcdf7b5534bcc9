#include "scripted_endpoint_tls.hpp"

#include <weft/testing/test_certificates.hpp>

#include <boost/asio/buffer.hpp>
#include <openssl/ssl.h>

namespace weft::testing {

namespace {

namespace ssl = boost::asio::ssl;

certificate_options certificate_of(const scripted_endpoint_options& options)
{
    certificate_options certificate;
    switch (options.certificate()) {
    case scripted_certificate::expired: certificate.expired(); break;
    case scripted_certificate::not_yet_valid: certificate.not_yet_valid(); break;
    case scripted_certificate::wrong_host: certificate.hosts({"elsewhere.example"}); break;
    case scripted_certificate::good:
    case scripted_certificate::unknown_authority: break;
    }
    return certificate;
}

// The library negotiates the newest that both know; a test of an old one has to forbid the others.
void set_versions(SSL_CTX* context, scripted_transport transport)
{
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    if (transport == scripted_transport::tls_1_2)
        SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
    if (transport != scripted_transport::tls_1_1) return;
    // OpenSSL 3 has what TLS 1.1 needs only below its usual security level.
    SSL_CTX_set_min_proto_version(context, TLS1_1_VERSION);
    SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
    SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0");
}

}  // namespace

scripted_endpoint_tls::scripted_endpoint_tls(const scripted_endpoint_options& options)
    : context{ssl::context::tls_server}
{
    const certificate_authority authority;
    ca_pem = authority.certificate_pem();
    if (options.certificate() == scripted_certificate::unknown_authority)
        ca_pem = certificate_authority{"weft other test authority"}.certificate_pem();
    const issued_certificate issued = authority.issue(certificate_of(options));
    context.use_certificate_chain(boost::asio::buffer(issued.certificate_pem));
    context.use_private_key(boost::asio::buffer(issued.key_pem), ssl::context::pem);
    set_versions(context.native_handle(), options.transport());
    // Thousands of streams that wait for their next token need not hold 32 KiB each.
    SSL_CTX_set_mode(context.native_handle(), SSL_MODE_RELEASE_BUFFERS);
}

}  // namespace weft::testing
