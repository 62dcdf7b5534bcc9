#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weft_bench {

/** What a client got for a request. */
struct whole_answer {
    unsigned status = 0;
    std::string body;
};

/** Clients on the calling OS thread, a connection each, that all ask at the same time.
 *
 *      socket_crowd crowd{port, 1000};
 *      const std::vector<double> times = crowd.ask_until(request, "\ndata: ");
 *      crowd.read_until("0\r\n\r\n");
 *
 *  @par Thread safety   None.
 */
class socket_crowd {
public:
    using request_function = std::function<std::string(std::size_t client)>;

    socket_crowd(std::uint16_t port, std::size_t count);

    /** Each sends its request and reads the whole answer. @return  By client. */
    [[nodiscard]] std::vector<whole_answer> ask(const request_function& request_of);
    /** Each sends its request and reads until its answer has `mark`. @return  By client, from its request on, in ms. */
    std::vector<double> ask_until(const request_function& request_of, std::string_view mark);
    /** Each reads on until it has `mark`. */
    void read_until(std::string_view mark);

    /** What all of them have read since `ask_until` began. */
    [[nodiscard]] std::size_t bytes() const;

private:
    struct client {
        explicit client(boost::asio::io_context& context) : socket{context} {}
        boost::asio::ip::tcp::socket socket;
        std::string request;
        std::string unmarked;  // what it has read behind the last mark
        std::size_t bytes = 0;
        double asked_at = 0;
        double marked_at = 0;
    };
    void send(client& one, const std::function<void()>& then);
    void read(client& one, std::string_view mark);
    void run();

    boost::asio::io_context context_{1};
    std::deque<client> clients_;
};

/** The text of a request with a body of JSON. */
[[nodiscard]] std::string post_request(std::string_view target, std::string_view body);
[[nodiscard]] std::string get_request(std::string_view target);

/** The value below which this share of the values lies. */
[[nodiscard]] double share_of(std::vector<double> values, double share);

}  // namespace weft_bench
