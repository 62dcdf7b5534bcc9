#include "tls_channel.hpp"

#include <boost/asio/error.hpp>
#include <boost/assert.hpp>
#include <openssl/err.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace weft::net_detail {

namespace {

constexpr std::size_t owed_max = 4 * 1024;        // behind a handshake, which has its own bounds
constexpr std::size_t record_overhead_max = 512;  // of one record, and of a change of keys before it

bool is_end(const tls_result& result) noexcept
{
    return result.status == tls_status::closed || result.status == tls_status::failed;
}

tls_result flooded() { return {tls_status::failed, 0, boost::asio::error::no_buffer_space}; }

}  // namespace

tls_channel::~tls_channel()
{
    // Else OpenSSL takes the missing goodbye for an attack, and never offers the session again.
    if (is_established_) SSL_set_shutdown(native(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
}

/** Calls the engine with room for what it has to send, which is owed then. */
template <class Call>
tls_result tls_channel::turn(std::span<const char>& in, bool has_ended, Call call)
{
    std::array<char, 4096> out;
    for (;;) {
        tls_wire wire{in, out, has_ended};
        const tls_result result = call(engine_, wire);
        owed_.append(out.data(), out.size() - wire.out.size());
        in = wire.in;
        // It wants to write only when the room was filled: there is an end to it.
        if (result.status != tls_status::want_write) return result;
    }
}

void tls_channel::keep(std::span<const char> rest)
{
    // A stream that waits holds no memory for what it has read long ago.
    kept_ = rest.empty() ? std::string{} : std::string{rest.data(), rest.size()};
}

tls_result tls_channel::handshake(std::string_view received, bool has_ended)
{
    kept_.append(received);
    std::span<const char> in{kept_};
    const tls_result result = turn(in, has_ended, [](tls_engine& engine, tls_wire& wire) {
        return engine.handshake(wire);
    });
    keep(in);
    is_established_ = result.status == tls_status::done;
    if (result.status != tls_status::closed) return result;
    return {tls_status::failed, 0, result.code};  // a goodbye instead of a handshake
}

tls_result tls_channel::read(std::string_view received, bool has_ended, std::span<char> room)
{
    if (end_) return *end_;
    if (room.empty()) return {};
    BOOST_ASSERT_MSG(received.empty() || kept_.empty(), "what is buffered is read first");
    std::span<const char> in = received.empty() ? std::span<const char>{kept_} : std::span<const char>{received};
    std::size_t size = 0;
    tls_result result;
    do {
        result = turn(in, has_ended, [&](tls_engine& engine, tls_wire& wire) {
            return engine.read(wire, room.subspan(size));
        });
        size += result.size;
    } while (result.status == tls_status::done && size < room.size() && (!in.empty() || engine_.pending() > 0));
    // A client that asks for renegotiation over and over gets an alert each time, and sends nothing to answer it with.
    if (owed_.size() > owed_max) result = flooded();
    if (is_end(result)) {
        end_ = result;
        end_->size = 0;
        is_established_ = result.status == tls_status::closed;
        in = {};
    }
    keep(in);
    engine_.release_buffers();
    return size > 0 ? tls_result{tls_status::done, size} : result;
}

tls_result tls_channel::read_in_place(std::span<char> room, std::size_t received, bool has_ended)
{
    BOOST_ASSERT(received <= room.size() && received <= received_max);
    char copy[received_max];
    std::memcpy(copy, room.data(), received);
    return read({copy, received}, has_ended, room);
}

sealed_bytes tls_channel::seal(std::string_view plaintext)
{
    plaintext = plaintext.substr(0, sealed_max);
    const std::size_t room = owed_.size() + plaintext.size() + record_overhead_max;
    sealed_bytes sealed;
    sealed.bytes.reset(new char[room]);
    std::memcpy(sealed.bytes.get(), owed_.data(), owed_.size());
    tls_wire wire;
    wire.out = {sealed.bytes.get() + owed_.size(), room - owed_.size()};
    owed_ = std::string{};
    const tls_result result = engine_.write(wire, plaintext);
    sealed.size = room - wire.out.size();
    sealed.plaintext = result.size;
    if (result.status == tls_status::done || result.status == tls_status::want_write) return sealed;
    sealed.code = result.code ? result.code : boost::asio::error::fault;
    return sealed;
}

void tls_channel::say_goodbye()
{
    if (!is_established_ || said_goodbye_) return;
    said_goodbye_ = true;
    std::span<const char> none;
    (void)turn(none, false, [](tls_engine& engine, tls_wire& wire) { return engine.shutdown(wire); });
}

}  // namespace weft::net_detail
