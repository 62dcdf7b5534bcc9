#include <boost/test/unit_test.hpp>

#include "net/http_fixture.hpp"

#include <weft/net/connection/connector.hpp>

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <deque>

BOOST_AUTO_TEST_SUITE(transport_test)

using weft::http_client;
using weft::http_client_options;
using weft::http_request;
using weft::serial_loop;
using weft::task;
using weft::url;
using weft::net_detail::connector;
using weft::net_detail::transport;
using weft::net_detail::wire_operation;
using boost::system::error_code;
namespace asio = boost::asio;

/** What the other side of a transport in memory does and has seen. */
struct recorded_wire {
    std::deque<std::string> to_read;  ///< One read each; then the end of the stream.
    std::string written;
    bool is_closed = false;
};

class memory_transport final : public transport {
public:
    explicit memory_transport(recorded_wire& wire) : wire_{wire} {}

    wire_operation read_some(asio::mutable_buffer buffer, std::shared_ptr<const void> owner) override
    {
        return perform(std::move(owner), [this, buffer] {
            if (wire_.to_read.empty()) return std::pair<error_code, std::size_t>{asio::error::eof, 0};
            const std::string bytes = wire_.to_read.front();
            wire_.to_read.pop_front();
            return std::pair{error_code{}, asio::buffer_copy(buffer, asio::buffer(bytes))};
        });
    }
    wire_operation write_some(asio::const_buffer buffer, std::shared_ptr<const void> owner) override
    {
        return perform(std::move(owner), [this, buffer] {
            const std::size_t size = std::min<std::size_t>(buffer.size(), 10);
            wire_.written.append(static_cast<const char*>(buffer.data()), size);
            return std::pair{error_code{}, size};
        });
    }
    bool is_quiet() noexcept override { return !wire_.is_closed; }
    void close() noexcept override { wire_.is_closed = true; }

private:
    /** Completes soon, not here, with what `act` gives then. */
    template <class Act>
    static wire_operation perform(std::shared_ptr<const void> owner, Act act)
    {
        auto initiation = [](auto handler, Act act) {
            const auto executor = asio::get_associated_executor(handler);
            asio::post(executor, [handler = std::move(handler), act]() mutable {
                const auto [code, size] = act();
                handler(code, size);
            });
        };
        weft::use_task_keeping token{std::move(owner)};
        return asio::async_initiate<weft::use_task_keeping, void(error_code, std::size_t)>(initiation, token,
                                                                                           std::move(act));
    }

    recorded_wire& wire_;
};

class memory_connector final : public connector {
public:
    explicit memory_connector(recorded_wire& wire) : wire_{wire} {}
    task<std::shared_ptr<transport>> open(url, std::chrono::nanoseconds) override
    {
        co_return std::make_shared<memory_transport>(wire_);
    }

private:
    recorded_wire& wire_;
};

http_client client_over(recorded_wire& wire)
{
    const auto connects = [&wire](serial_loop&) { return std::make_unique<memory_connector>(wire); };
    return http_client{http_client_options{}, connects};
}

BOOST_AUTO_TEST_CASE(the_client_works_over_any_transport)
{
    recorded_wire wire;
    wire.to_read = {"HTTP/1.1 200 OK\r\nTransfer-Encod", "ing: chunked\r\n\r\n5\r\nhel", "lo\r\n0\r\n\r", "\n"};
    test_loop loop;
    const http_client client = client_over(wire);
    http_request request{"POST", url{"https://api.example.com/v1/chat"}};
    request.body("{\"a\":1}");
    started fetched{loop, http_fixture::fetch(client, std::move(request))};
    BOOST_TEST(fetched.result().body == "hello");
    BOOST_TEST(wire.written == "POST /v1/chat HTTP/1.1\r\nHost: api.example.com\r\nUser-Agent: weft/0.1\r\n"
                               "Content-Length: 7\r\n\r\n{\"a\":1}");
    BOOST_TEST(!wire.is_closed);
    BOOST_TEST(client.counts().idle == 1u);
}

BOOST_AUTO_TEST_CASE(the_same_bytes_give_the_same_body_however_the_transport_cuts_them)
{
    const std::string response = "HTTP/1.1 103 Hints\r\n\r\n" + chunked_head() + chunk_of("data: 1\n\n") +
                                 chunk_of("data: 2\n\n") + "0\r\n\r\n";
    for (std::size_t cut = 1; cut < response.size(); ++cut) {
        recorded_wire wire;
        wire.to_read = {response.substr(0, cut), response.substr(cut)};
        test_loop loop;
        started fetched{loop, http_fixture::fetch(client_over(wire), url{"http://x.test/"})};
        BOOST_TEST(fetched.result().body == "data: 1\n\ndata: 2\n\n");
    }
}

BOOST_AUTO_TEST_CASE(a_stream_that_ends_anywhere_before_its_end_is_never_taken_for_whole)
{
    const std::string response = chunked_head() + chunk_of("data: 1\n\n") + "0\r\n\r\n";
    for (std::size_t cut = 0; cut < response.size(); ++cut) {
        recorded_wire wire;
        if (cut > 0) wire.to_read = {response.substr(0, cut)};
        test_loop loop;
        started fetched{loop, http_fixture::fetch(client_over(wire), url{"http://x.test/"})};
        const weft::errc code = fetched.failure().code();
        BOOST_TEST((code == (cut == 0 ? weft::errc::connection_lost : weft::errc::response_truncated)));
        BOOST_TEST(wire.is_closed);
    }
}

BOOST_AUTO_TEST_SUITE_END()
