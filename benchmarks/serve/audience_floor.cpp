#include "audience_floor.hpp"

#include "harness/bench.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <memory>

namespace weft_bench {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::string_view stream_head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

struct reading_request {
    boost::beast::flat_buffer buffer;
    http::request<http::string_body> request;
};

/** As the server of weft makes it, with an id as long. */
std::string frame_of(std::string_view text)
{
    return "id: 100\nevent: custom\ndata: {\"text\":\"" + std::string{text} +
           R"(","type":"chatter","node":"talk"})" + "\n\n";
}

}  // namespace

beast_audience::beast_audience(talk& what, std::size_t clients)
    : what_{what}, clients_{clients}, acceptor_{context_, tcp::endpoint{asio::ip::address_v4::loopback(), 0}},
      frame_{frame_of(what.text)}, last_frame_{frame_of(last_word)}
{
    acceptor_.listen(4096);
    accept();
    thread_ = std::thread{[this] { context_.run(); }};
}

void beast_audience::accept()
{
    acceptor_.async_accept([this](const error_code& code, tcp::socket socket) {
        require(!code, "a client cannot come in");
        welcome(subscribers_.emplace_back(std::move(socket)));
        if (subscribers_.size() < clients_) accept();
    });
}

void beast_audience::welcome(subscriber& one)
{
    one.socket.set_option(tcp::no_delay{true});
    auto reading = std::make_shared<reading_request>();
    http::async_read(one.socket, reading->buffer, reading->request,
                     [this, reading, &one](const error_code& code, std::size_t) {
                         require(!code, "a client did not ask");
                         asio::write(one.socket, asio::buffer(stream_head));
                         if (++asked_ == clients_) say(0);
                     });
}

void beast_audience::say(std::size_t events_said)
{
    const auto timer = std::make_shared<asio::steady_timer>(context_);
    const bool waits = !what_.may_begin;
    timer->expires_after(waits ? std::chrono::milliseconds{5} : what_.gap);
    timer->async_wait([this, timer, events_said, waits](const error_code&) {
        if (waits) return say(events_said);
        if (events_said < what_.events) {
            write_all(frame_);
            return say(events_said + 1);
        }
        write_all(last_frame_);
        what_.has_ended = true;
    });
}

void beast_audience::write_all(const std::string& frame)
{
    for (subscriber& one : subscribers_) {
        if (!one.is_written) continue;
        one.is_written = false;
        const auto done = [&one](const error_code& code, std::size_t) {
            one.is_written = !code;  // what is gone is told nothing more
        };
        asio::async_write(one.socket, http::make_chunk(asio::buffer(frame)), done);
    }
}

}  // namespace weft_bench
