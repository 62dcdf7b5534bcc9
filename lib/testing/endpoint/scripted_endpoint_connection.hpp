#pragma once

#include "scripted_endpoint_answers.hpp"
#include "scripted_endpoint_parser.hpp"
#include "scripted_endpoint_record.hpp"
#include "scripted_endpoint_socket.hpp"
#include "testing/model/scripted_reply_plan.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/system/error_code.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <unordered_set>

namespace weft::testing {

class scripted_endpoint_connection;

/** What the connections of an endpoint share; it outlives them. */
struct scripted_endpoint_shared {
    scripted_endpoint_answers& answers;
    scripted_endpoint_record& record;
    std::unordered_set<scripted_endpoint_connection*> open;
};

/** One connection of a client: reads requests and performs the plans for them, one after the other.
 *
 *  It reads all the time, also while it writes, so that it notices at once when the client goes
 *  away. Its handlers share its ownership; all of them run on the OS thread of the endpoint.
 */
class scripted_endpoint_connection
    : public std::enable_shared_from_this<scripted_endpoint_connection> {
public:
    struct role {
        boost::asio::ssl::context* tls = nullptr;  ///< Null for no TLS.
        bool is_silent = false;
        std::size_t number = 0;
    };

    scripted_endpoint_connection(scripted_endpoint_shared& shared,
                                 scripted_endpoint_socket::tcp_socket socket, role role);

    void start();
    /** Ends the connection as it is; a second time has no effect. */
    void close();

private:
    using error_code = boost::system::error_code;

    void on_handshake(error_code error);
    void read();
    void on_read(error_code error, std::size_t size);
    void take_request();
    void begin(wire_plan plan);
    void perform();
    void write(const wire_step& step);
    void finish();
    void say_goodbye();
    void close_because_of_client();

    scripted_endpoint_shared& shared_;
    scripted_endpoint_socket socket_;
    boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                      boost::asio::wait_traits<std::chrono::steady_clock>,
                                      boost::asio::io_context::executor_type>
        timer_;
    role role_;
    bool is_open_ = true;

    std::array<char, 16 * 1024> read_buffer_;
    std::string received_;
    bool is_reading_ = false;
    scripted_endpoint_parser parser_;

    wire_plan plan_;
    std::size_t step_ = 0;
    std::size_t pieces_ = 0;
    std::size_t request_ = 0;
    bool is_replying_ = false;
};

}  // namespace weft::testing
