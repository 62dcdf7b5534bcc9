#pragma once

#include <weft/async/use_task.hpp>

#include <boost/asio/buffer.hpp>

#include <cstddef>
#include <memory>

namespace weft::net_detail {

/** A read or write under way: awaited, it gives an error code and the number of bytes. */
using wire_operation = async_detail::operation<false, boost::system::error_code, std::size_t>;

/** An open byte stream to a peer: the seam between HTTP and the world. A socket, TLS over a socket, or a simulation.
 *
 *  At most one read and one write at a time. Each operation keeps `owner`, and with it the transport and the buffer,
 *  until it has ended, because a coroutine may be destroyed before that.
 *
 *  @par Cancellation   Aborts the operation; afterwards only `close` makes sense.
 *  @par Thread safety  None: it belongs to one loop.
 */
class transport {
public:
    virtual ~transport() = default;

    virtual wire_operation read_some(boost::asio::mutable_buffer buffer, std::shared_ptr<const void> owner) = 0;
    virtual wire_operation write_some(boost::asio::const_buffer buffer, std::shared_ptr<const void> owner) = 0;

    /** True if the peer neither closed the stream nor sent anything since the last read. Asked before a reuse. */
    [[nodiscard]] virtual bool is_quiet() noexcept = 0;

    /** True if a TLS session of an earlier connection was taken up again. */
    [[nodiscard]] virtual bool is_resumed() const noexcept { return false; }

    /** Says that nothing more will be sent; reading goes on. What cannot say it does nothing. */
    virtual void end_sending() noexcept {}

    /** Ends the stream at once; pending operations abort. May be called again. */
    virtual void close() noexcept = 0;

    /** Writes what the peer takes at once, without an operation and without a turn of the loop; not while a write is
     *  under way. After an error, and where it cannot be done, nothing is written: `write_some` tells why.
     *  @return  How many bytes. */
    [[nodiscard]] virtual std::size_t write_now(boost::asio::const_buffer bytes) noexcept { return (void)bytes, 0; }
    /** The same for bytes that have come. @return  How many; 0: none, or the end, which `read_some` tells. */
    [[nodiscard]] virtual std::size_t read_now(boost::asio::mutable_buffer room) noexcept { return (void)room, 0; }
};

}  // namespace weft::net_detail
