#pragma once

#include <weft/net/options/tls_server_options.hpp>

#include <openssl/ssl.h>

#include <memory>

namespace weft::net_detail {

/** What the TLS connections of one listening address share: certificate, key, and whom clients have to be known to.
 *
 *  @par Errors          `errc::invalid_configuration`: files cannot be read or do not fit; all mistakes are told.
 *  @par Thread safety   None: it belongs to the loop of its server.
 */
class tls_server_context {
public:
    explicit tls_server_context(tls_server_options options);

    /** Reads the files again, for connections that are accepted from now on; others keep what they have. Sessions of
     *  before are not taken up again.
     *  @par Errors   As of the constructor; then what was read before stays. */
    void reload();

    /** For the next connection, which keeps it. */
    [[nodiscard]] SSL_CTX* native() const noexcept { return native_.get(); }

    [[nodiscard]] bool asks_clients() const noexcept { return !options_.client_ca_file.empty(); }

private:
    struct context_deleter {
        void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
    };
    using context_ptr = std::unique_ptr<SSL_CTX, context_deleter>;

    static context_ptr make(const tls_server_options& options);

    tls_server_options options_;
    context_ptr native_;
};

}  // namespace weft::net_detail
