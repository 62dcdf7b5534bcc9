#include "tls_context.hpp"

#include "client_certificate.hpp"
#include "tls_roots.hpp"

#include <boost/asio/buffer.hpp>

#include <iostream>

namespace weft::net_detail {

namespace {

/** Slots of ours in OpenSSL's objects. Asio uses slot 0 of a connection itself. */
int connection_slot()
{
    static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
    return index;
}

int context_slot()
{
    static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
    return index;
}

[[noreturn]] void refuse(std::string detail) { throw error{errc::invalid_configuration, "TLS", std::move(detail)}; }

}  // namespace

tls_context::tls_context(const tls_options& options, tls_protocol protocol) : verification_{options.verification}
{
    SSL_CTX* const native = context_.native_handle();
    SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
    constexpr unsigned char protocols[] = "\x08http/1.1";
    if (protocol == tls_protocol::http) SSL_CTX_set_alpn_protos(native, protocols, sizeof protocols - 1);

    SSL_CTX_set_ex_data(native, context_slot(), this);
    SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(native, &tls_context::on_new_session);

    use_client_certificate(native, options);

    if (verification_ == tls_verification::none) {
        SSL_CTX_set_verify(native, SSL_VERIFY_NONE, nullptr);
        std::clog << "weft: WARNING: TLS certificates are not verified; anybody on the way can read and change "
                     "everything\n";
        return;
    }
    SSL_CTX_set_verify(native, SSL_VERIFY_PEER, &tls_context::on_certificate);
    if (options.uses_system_roots())
        trust_roots_in(native, system_root_places());
    else
        trust_own_roots(options);
}

void tls_context::trust_own_roots(const tls_options& options)
{
    boost::system::error_code ec;
    if (!options.ca_file.empty()) context_.load_verify_file(options.ca_file, ec);
    if (ec) refuse("the CA file " + options.ca_file + " holds no PEM certificate that can be read: " + ec.message());
    if (!options.ca_pem.empty()) context_.add_certificate_authority(boost::asio::buffer(options.ca_pem), ec);
    if (ec) refuse("the text given as ca_pem holds no PEM certificate: " + ec.message());
}

void tls_context::prepare(SSL* connection, tls_peer& peer)
{
    SSL_set_ex_data(connection, connection_slot(), &peer);
    if (!peer.host_is_address) SSL_set_tlsext_host_name(connection, peer.host.c_str());
    if (verification_ == tls_verification::full) {
        X509_VERIFY_PARAM* const checks = SSL_get0_param(connection);
        // RFC 9525 §6.3: names stand in the subjectAltName; a common name is text for people.
        X509_VERIFY_PARAM_set_hostflags(checks,
                                        X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
        if (peer.host_is_address)
            X509_VERIFY_PARAM_set1_ip_asc(checks, peer.host.c_str());
        else
            X509_VERIFY_PARAM_set1_host(checks, peer.host.data(), peer.host.size());
    }
    if (peer.role == tls_role::proxy) SSL_certs_clear(connection);
    if (const session_ptr session = sessions_.find(peer.session_key())) SSL_set_session(connection, session.get());
}

tls_peer* tls_context::peer_of(const SSL* connection) noexcept
{
    return static_cast<tls_peer*>(SSL_get_ex_data(connection, connection_slot()));
}

int tls_context::on_certificate(int is_good, X509_STORE_CTX* chain)
{
    const auto* connection =
        static_cast<const SSL*>(X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()));
    return peer_of(connection)->on_certificate(is_good == 1, chain) ? 1 : 0;
}

int tls_context::on_new_session(SSL* connection, SSL_SESSION* session)
{
    auto* const self = static_cast<tls_context*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), context_slot()));
    self->sessions_.store(peer_of(connection)->session_key(), session_ptr{session});
    return 1;  // the session is ours now
}

}  // namespace weft::net_detail
