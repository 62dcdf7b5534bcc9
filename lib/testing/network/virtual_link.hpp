#pragma once

#include "virtual_net.hpp"

#include <weft/async/loop/linked_list.hpp>
#include <weft/async/loop/loop_timer.hpp>
#include <weft/net/socket/transport.hpp>

#include <boost/asio/buffer.hpp>

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace weft::testing::network_detail {

/** A read or a write that waits; completes once, by a turn of its loop. */
class pending_operation {
public:
    using handler_type = async_detail::operation_handler<std::tuple<boost::system::error_code, std::size_t>>;

    void start(handler_type handler);
    [[nodiscard]] bool is_waiting() const noexcept { return handler_.has_value(); }
    /** Does nothing if none waits. */
    void complete(boost::system::error_code code, std::size_t size);

private:
    std::optional<handler_type> handler_;
};

/** One direction of a connection: what is on its way, in order, and what has arrived. */
struct virtual_direction {
    struct piece {
        enum class kind : unsigned char { bytes, end, reset };
        time_point arrives;
        kind what;
        std::string bytes;
    };

    virtual_direction(serial_loop& loop, loop_timer::function arrived, void* self) noexcept
        : timer{loop, arrived, self}
    {
    }

    std::deque<piece> moving;
    std::string arrived;
    std::size_t held = 0;            ///< Bytes in `moving` and `arrived`.
    bool is_ending = false;          ///< The writer has said its last.
    bool has_ended = false;          ///< The reader has it.
    bool is_dropped = false;         ///< The reader has closed.
    pending_operation reading;
    boost::asio::mutable_buffer read_buffer;
    pending_operation writing;
    boost::asio::const_buffer write_buffer;
    loop_timer timer;                ///< The next piece arrives.
};

/** A connection: two directions between two ends. Decides by the weather of its network when what arrives. */
class virtual_link final : public list_node<virtual_net> {
public:
    explicit virtual_link(std::shared_ptr<virtual_net> net);
    ~virtual_link();
    virtual_link(const virtual_link&) = delete;
    virtual_link& operator=(const virtual_link&) = delete;

    // By an end, 0 or 1.

    void read(std::size_t end, boost::asio::mutable_buffer buffer, pending_operation::handler_type handler);
    void write(std::size_t end, boost::asio::const_buffer buffer, pending_operation::handler_type handler);
    /** At once, as `transport` says: what the weather allows, or nothing. @return  How many bytes. */
    [[nodiscard]] std::size_t read_now(std::size_t end, boost::asio::mutable_buffer room);
    [[nodiscard]] std::size_t write_now(std::size_t end, boost::asio::const_buffer bytes);
    [[nodiscard]] bool is_quiet(std::size_t end) const noexcept;
    void end_sending(std::size_t end) noexcept;
    void close(std::size_t end) noexcept;
    /** Both ends learn it at once; what is on its way is lost. */
    void break_off() noexcept;

private:
    void arrive(virtual_direction& to);
    void count_out() noexcept;
    void try_read(virtual_direction& from);
    void try_write(virtual_direction& to);
    [[nodiscard]] std::size_t take(virtual_direction& from, boost::asio::mutable_buffer room);
    [[nodiscard]] std::size_t put(virtual_direction& to, boost::asio::const_buffer bytes);
    [[nodiscard]] bool is_willing();
    void send(virtual_direction& to, virtual_direction::piece::kind what, std::string bytes = {});
    [[nodiscard]] std::size_t some_of(std::size_t size);

    std::shared_ptr<virtual_net> net_;
    std::array<virtual_direction, 2> ways_;  // each is written by the end of its number
    bool is_open_ = true;
    bool is_broken_ = false;
};

/** One end of a connection. */
class virtual_end final : public net_detail::transport {
public:
    virtual_end(std::shared_ptr<virtual_link> link, std::size_t number) noexcept
        : link_{std::move(link)}, number_{number}
    {
    }
    ~virtual_end() override { link_->close(number_); }

    net_detail::wire_operation read_some(boost::asio::mutable_buffer buffer,
                                         std::shared_ptr<const void> owner) override;
    net_detail::wire_operation write_some(boost::asio::const_buffer buffer,
                                          std::shared_ptr<const void> owner) override;
    std::size_t write_now(boost::asio::const_buffer bytes) noexcept override
    {
        return link_->write_now(number_, bytes);
    }
    std::size_t read_now(boost::asio::mutable_buffer room) noexcept override { return link_->read_now(number_, room); }
    bool is_quiet() noexcept override { return link_->is_quiet(number_); }
    void end_sending() noexcept override { link_->end_sending(number_); }
    void close() noexcept override { link_->close(number_); }
    void reset() noexcept { link_->break_off(); }

private:
    std::shared_ptr<virtual_link> link_;
    std::size_t number_;
};

}  // namespace weft::testing::network_detail
