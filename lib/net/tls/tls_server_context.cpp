#include "tls_server_context.hpp"

#include "own_certificate.hpp"

#include <weft/base/error.hpp>

#include <openssl/err.h>

#include <new>
#include <string>
#include <utility>

namespace weft::net_detail {

namespace {

// RFC 9325 §4.2: forward secrecy and authenticated encryption. TLS 1.3 has nothing else.
constexpr const char* ciphers_of_tls_1_2 = "ECDHE+AESGCM:ECDHE+CHACHA20";

/** Takes HTTP/1.1 of what a client speaks; who speaks other things only is told so (RFC 7301 §3.2). */
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_size, const unsigned char* offered,
                    unsigned int offered_size, void*)
{
    static constexpr unsigned char ours[] = "\x08http/1.1";
    unsigned char* found = nullptr;
    const int outcome =
        SSL_select_next_proto(&found, chosen_size, ours, sizeof ours - 1, offered, offered_size);
    if (outcome != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

void note(std::string& wrong, const std::string& where, const std::string& what)
{
    wrong.append(wrong.empty() ? "" : "; ").append(where).append(where.empty() ? "" : ": ").append(what);
}

void use_certificate_of_server(SSL_CTX* context, const tls_server_options& options, std::string& wrong)
{
    if (options.certificate_file.empty()) return note(wrong, "", "there is no certificate; name its file");
    const pem_place certificate{options.certificate_file, {}, true};
    const pem_place key{options.key_file.empty() ? options.certificate_file : options.key_file, {}, true};
    try {
        use_own_certificate(context, certificate, key, options.key_passphrase, tls_side::server);
    } catch (const error& e) {
        note(wrong, e.where(), e.detail());
    }
}

void ask_clients(SSL_CTX* context, const tls_server_options& options, std::string& wrong)
{
    if (options.client_ca_file.empty()) return;
    STACK_OF(X509_NAME)* const names = SSL_load_client_CA_file(options.client_ca_file.c_str());
    if (!names || SSL_CTX_load_verify_file(context, options.client_ca_file.c_str()) != 1) {
        sk_X509_NAME_pop_free(names, X509_NAME_free);
        ERR_clear_error();
        return note(wrong, options.client_ca_file, "it holds no PEM certificate of an authority that can be read");
    }
    SSL_CTX_set_client_CA_list(context, names);  // the context's now
    const int must = options.clients == client_certificates::require ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | must, nullptr);
}

}  // namespace

tls_server_context::tls_server_context(tls_server_options options)
    : options_{std::move(options)}, native_{make(options_)}
{
}

void tls_server_context::reload() { native_ = make(options_); }

tls_server_context::context_ptr tls_server_context::make(const tls_server_options& options)
{
    context_ptr made{SSL_CTX_new(TLS_server_method())};
    if (!made) throw std::bad_alloc{};
    SSL_CTX* const context = made.get();
    const bool is_1_3 = options.version_min == tls_version::tls_1_3;
    SSL_CTX_set_min_proto_version(context, is_1_3 ? TLS1_3_VERSION : TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                     SSL_OP_PRIORITIZE_CHACHA);
    SSL_CTX_set_cipher_list(context, ciphers_of_tls_1_2);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
    // Sessions are in the tickets that clients keep; a memory of them would have to be bounded and shared.
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    // Without a name for what a session was checked for, OpenSSL fails clients that show a certificate and come again.
    static constexpr unsigned char purpose[] = "weft";
    SSL_CTX_set_session_id_context(context, purpose, sizeof purpose - 1);
    std::string wrong;
    use_certificate_of_server(context, options, wrong);
    ask_clients(context, options, wrong);
    if (!wrong.empty()) throw error{errc::invalid_configuration, "TLS of the server", wrong};
    return made;
}

}  // namespace weft::net_detail
