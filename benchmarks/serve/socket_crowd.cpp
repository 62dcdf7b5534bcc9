#include "socket_crowd.hpp"

#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace weft_bench {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

struct reading_answer {
    boost::beast::flat_buffer buffer;
    http::response<http::string_body> response;
};

void require_ok(const error_code& code, std::string_view what)
{
    if (code) throw std::runtime_error{std::string{what} + ": " + code.message()};
}

}  // namespace

socket_crowd::socket_crowd(std::uint16_t port, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i) {
        client& one = clients_.emplace_back(context_);
        one.socket.connect({asio::ip::address_v4::loopback(), port});
        one.socket.set_option(tcp::no_delay{true});
    }
}

std::vector<whole_answer> socket_crowd::ask(const request_function& request_of)
{
    std::vector<whole_answer> answers(clients_.size());
    for (std::size_t i = 0; i < clients_.size(); ++i) {
        client& one = clients_[i];
        one.request = request_of(i);
        send(one, [&one, &into = answers[i]] {
            auto reading = std::make_shared<reading_answer>();
            http::async_read(one.socket, reading->buffer, reading->response,
                             [reading, &into](const error_code& code, std::size_t) {
                                 require_ok(code, "an answer did not come");
                                 into = {reading->response.result_int(), std::move(reading->response.body())};
                             });
        });
    }
    run();
    return answers;
}

std::vector<double> socket_crowd::ask_until(const request_function& request_of, std::string_view mark)
{
    for (std::size_t i = 0; i < clients_.size(); ++i) {
        client& one = clients_[i];
        one.request = request_of(i);
        one.unmarked.clear();
        one.bytes = 0;
        send(one, [this, &one, mark] { read(one, mark); });
    }
    run();
    std::vector<double> times;
    for (const client& one : clients_) times.push_back(one.marked_at - one.asked_at);
    return times;
}

void socket_crowd::read_until(std::string_view mark)
{
    for (client& one : clients_) {
        if (const std::size_t place = one.unmarked.find(mark); place != std::string::npos)
            one.unmarked.erase(0, place + mark.size());
        else read(one, mark);
    }
    run();
}

std::size_t socket_crowd::bytes() const
{
    std::size_t sum = 0;
    for (const client& one : clients_) sum += one.bytes;
    return sum;
}

void socket_crowd::send(client& one, const std::function<void()>& then)
{
    one.asked_at = wall_ms();
    asio::async_write(one.socket, asio::buffer(one.request), [then](const error_code& code, std::size_t) {
        require_ok(code, "a request was not sent");
        then();
    });
}

void socket_crowd::read(client& one, std::string_view mark)
{
    const auto bytes = std::make_shared<std::vector<char>>(4096);
    one.socket.async_read_some(asio::buffer(*bytes), [this, &one, mark, bytes](const error_code& code,
                                                                               std::size_t size) {
        require_ok(code, "a stream ended: " + one.unmarked);
        one.bytes += size;
        one.unmarked.append(bytes->data(), size);
        const std::size_t place = one.unmarked.find(mark);
        if (place == std::string::npos) {
            // Of what is long only the end can still be the beginning of the mark.
            if (one.unmarked.size() > 4096) one.unmarked.erase(0, one.unmarked.size() - mark.size());
            return read(one, mark);
        }
        one.marked_at = wall_ms();
        one.unmarked.erase(0, place + mark.size());
    });
}

void socket_crowd::run()
{
    context_.restart();
    context_.run();
}

std::string post_request(std::string_view target, std::string_view body)
{
    return "POST " + std::string{target} + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string{body};
}

std::string get_request(std::string_view target)
{
    return "GET " + std::string{target} + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

double share_of(std::vector<double> values, double share)
{
    require(!values.empty(), "nothing was measured");
    const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + place, values.end());
    return values[static_cast<std::size_t>(place)];
}

}  // namespace weft_bench
