#include "redis_link.hpp"

#include <weft/base/error.hpp>

#include <openssl/crypto.h>

#include <utility>

namespace weft::redis_detail {

redis_link::redis_link(serial_loop& loop, byte_stream stream, std::string endpoint, redis_reply_limits limits)
    : stream_{std::move(stream)}, endpoint_{std::move(endpoint)}, parser_{limits},
      silence_{loop, [](void* self) { static_cast<redis_link*>(self)->give_up(); }, this}, heard_at_{loop.now()}
{
}

task<void> redis_link::read()
{
    const auto [code, size] = co_await stream_.read_some(boost::asio::buffer(incoming_), shared_from_this());
    if (code || size == 0) throw_lost(code);
    serial_loop& loop = co_await this_task::loop();
    heard_at_ = loop.now();
    parser_.feed({incoming_.data(), size});
}

std::optional<redis_value> redis_link::next_reply()
{
    for (;;) {
        std::optional<redis_value> reply = parser_.next();
        if (parser_.has_failed())
            throw error{errc::connection_lost, endpoint_,
                        "what came is not of a Redis server: " + parser_.mistake() + "; check host and port"};
        if (!reply || !reply->is(redis_value::kind::push)) return reply;
    }
}

task<void> redis_link::write()
{
    std::size_t written = 0;
    while (written < outgoing_.size()) {
        const boost::asio::const_buffer rest{outgoing_.data() + written, outgoing_.size() - written};
        const auto [code, size] = co_await stream_.write_some(rest, shared_from_this());
        if (code) throw_lost(code);
        written += size;
    }
}

void redis_link::close() noexcept
{
    expect_nothing();
    is_open_ = false;
    stream_.close();
}

void redis_link::wipe_outgoing() noexcept
{
    OPENSSL_cleanse(outgoing_.data(), outgoing_.size());
    outgoing_.clear();
}

void redis_link::give_up() noexcept
{
    was_silent_ = true;
    close();
}

void redis_link::throw_lost(const boost::system::error_code& code) const
{
    if (was_silent_) throw error{errc::timeout, endpoint_, "the server does not answer (request_timeout)"};
    if (code == boost::asio::error::operation_aborted) throw error{errc::cancelled, endpoint_, "the connection"};
    throw error{errc::connection_lost, endpoint_, code ? code.message() : "the server closed the connection"};
}

}  // namespace weft::redis_detail
