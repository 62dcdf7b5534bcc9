#include "tls_engine.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <openssl/bio.h>
#include <openssl/err.h>

#include <algorithm>
#include <memory>
#include <new>

namespace weft::net_detail {

namespace {

tls_wire* lent_to(BIO* bio) noexcept { return static_cast<tls_wire*>(BIO_get_data(bio)); }

int take_from_wire(BIO* bio, char* to, int size)
{
    BIO_clear_retry_flags(bio);
    tls_wire* const wire = lent_to(bio);
    if (size <= 0) return 0;
    if (!wire || wire->in.empty()) {
        if (wire && wire->has_ended) return 0;
        BIO_set_retry_read(bio);
        return -1;
    }
    const std::size_t taken = std::min(wire->in.size(), static_cast<std::size_t>(size));
    std::copy_n(wire->in.data(), taken, to);
    wire->in = wire->in.subspan(taken);
    return static_cast<int>(taken);
}

int put_on_wire(BIO* bio, const char* from, int size)
{
    BIO_clear_retry_flags(bio);
    tls_wire* const wire = lent_to(bio);
    if (size <= 0) return 0;
    if (!wire || wire->out.empty()) {
        BIO_set_retry_write(bio);
        return -1;
    }
    const std::size_t put = std::min(wire->out.size(), static_cast<std::size_t>(size));
    std::copy_n(from, put, wire->out.data());
    wire->out = wire->out.subspan(put);
    return static_cast<int>(put);
}

long control_wire(BIO* bio, int command, long, void*)
{
    // OpenSSL 3 asks for the end to tell it from a failed read; a flush has nothing to do.
    if (command == BIO_CTRL_EOF) {
        const tls_wire* const wire = lent_to(bio);
        return wire && wire->has_ended && wire->in.empty() ? 1 : 0;
    }
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

int create_wire(BIO* bio)
{
    BIO_set_init(bio, 1);
    return 1;
}

/** The kind of BIO that works on a borrowed `tls_wire`; the process has one, as OpenSSL means it. */
const BIO_METHOD* wire_method()
{
    struct method_deleter {
        void operator()(BIO_METHOD* method) const noexcept { BIO_meth_free(method); }
    };
    static const std::unique_ptr<BIO_METHOD, method_deleter> method = [] {
        std::unique_ptr<BIO_METHOD, method_deleter> made{
            BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "weft wire")};
        if (!made) throw std::bad_alloc{};
        BIO_meth_set_create(made.get(), create_wire);
        BIO_meth_set_read(made.get(), take_from_wire);
        BIO_meth_set_write(made.get(), put_on_wire);
        BIO_meth_set_ctrl(made.get(), control_wire);
        return made;
    }();
    return method.get();
}

tls_result failed_with(const boost::system::error_code& code) { return {tls_status::failed, 0, code}; }

tls_result cut_short() { return failed_with(boost::asio::ssl::error::stream_truncated); }

}  // namespace

tls_engine::tls_engine(SSL_CTX* context, tls_side side) : ssl_{SSL_new(context)}
{
    if (!ssl_) throw std::bad_alloc{};
    bio_ = BIO_new(wire_method());
    if (!bio_) throw std::bad_alloc{};
    SSL_set_bio(ssl_.get(), bio_, bio_);
    SSL_set_mode(ssl_.get(),
                 SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_set_options(ssl_.get(), SSL_OP_NO_RENEGOTIATION);
    if (side == tls_side::client)
        SSL_set_connect_state(ssl_.get());
    else
        SSL_set_accept_state(ssl_.get());
}

template <class Call>
tls_result tls_engine::perform(tls_wire& wire, Call call)
{
    // What an earlier call of another connection left in the queue of this OS thread would be taken for ours.
    // To look costs half of clearing, and there is nothing as a rule.
    if (ERR_peek_error() != 0) ERR_clear_error();
    BIO_set_data(bio_, &wire);
    const int returned = call(ssl_.get());
    const tls_result result = returned > 0 ? tls_result{} : outcome(returned, wire);
    BIO_set_data(bio_, nullptr);
    return result;
}

tls_result tls_engine::outcome(int returned, const tls_wire& wire) const
{
    const bool wire_is_over = wire.has_ended && wire.in.empty();
    switch (SSL_get_error(ssl_.get(), returned)) {
    case SSL_ERROR_WANT_READ: return {tls_status::want_read};
    case SSL_ERROR_WANT_WRITE: return {tls_status::want_write};
    case SSL_ERROR_ZERO_RETURN: return {tls_status::closed, 0, boost::asio::error::eof};
    case SSL_ERROR_SYSCALL: return cut_short();
    default: break;
    }
    const unsigned long reason = ERR_get_error();
    if (reason == 0 || (wire_is_over && ERR_GET_REASON(reason) == SSL_R_UNEXPECTED_EOF_WHILE_READING))
        return cut_short();
    return failed_with({static_cast<int>(reason), boost::asio::error::get_ssl_category()});
}

tls_result tls_engine::handshake(tls_wire& wire)
{
    return perform(wire, [](SSL* ssl) { return SSL_do_handshake(ssl); });
}

tls_result tls_engine::read(tls_wire& wire, std::span<char> plaintext)
{
    if (plaintext.empty()) return {};
    std::size_t size = 0;
    tls_result result =
        perform(wire, [&](SSL* ssl) { return SSL_read_ex(ssl, plaintext.data(), plaintext.size(), &size); });
    result.size = size;
    return result;
}

tls_result tls_engine::write(tls_wire& wire, std::string_view plaintext)
{
    if (plaintext.empty()) return {};
    std::size_t size = 0;
    tls_result result =
        perform(wire, [&](SSL* ssl) { return SSL_write_ex(ssl, plaintext.data(), plaintext.size(), &size); });
    result.size = size;
    return result;
}

tls_result tls_engine::shutdown(tls_wire& wire)
{
    // 0 says that our goodbye is out and the peer's is not in, which is all that is asked for.
    return perform(wire, [](SSL* ssl) {
        const int returned = SSL_shutdown(ssl);
        return returned == 0 ? 1 : returned;
    });
}

void tls_engine::release_buffers() noexcept
{
    // Between two records only: before 3.0.14 OpenSSL freed buffers in use if asked within one (CVE-2024-4741).
    const bool is_between_records = std::string_view{SSL_rstate_string(ssl_.get())} == "RH";
    if (is_between_records && SSL_pending(ssl_.get()) == 0) SSL_free_buffers(ssl_.get());
}

std::size_t tls_engine::pending() const noexcept { return static_cast<std::size_t>(SSL_pending(ssl_.get())); }

}  // namespace weft::net_detail
