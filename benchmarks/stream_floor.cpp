#include "stream_floor.hpp"

#include "bench.hpp"
#include "cpu_clock.hpp"
#include "floor.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

namespace weft_bench {

namespace {

using tls_stream = asio::ssl::stream<tcp::socket>;
using connections = std::vector<std::unique_ptr<tls_stream>>;

/** What was read of a response's body. */
struct reading {
    std::size_t bytes = 0;
    double first_at = 0;
};

asio::ssl::context trusting(const std::string& ca_pem)
{
    asio::ssl::context context{asio::ssl::context::tls_client};
    context.add_certificate_authority(asio::buffer(ca_pem));
    context.set_verify_mode(asio::ssl::verify_peer);
    return context;
}

asio::awaitable<void> connect(tls_stream* stream, std::uint16_t port)
{
    const tcp::endpoint peer{asio::ip::address_v4::loopback(), port};
    co_await stream->lowest_layer().async_connect(peer, asio::use_awaitable);
    stream->lowest_layer().set_option(tcp::no_delay{true});
    SSL_set_tlsext_host_name(stream->native_handle(), "localhost");
    stream->set_verify_callback(asio::ssl::host_name_verification{"localhost"});
    co_await stream->async_handshake(tls_stream::client, asio::use_awaitable);
}

http::request<http::string_body> request_for(const std::string& question)
{
    http::request<http::string_body> request{http::verb::post, "/v1/chat/completions", 11};
    request.set(http::field::host, "localhost");
    request.set(http::field::content_type, "application/json");
    request.set(http::field::accept, "text/event-stream");
    request.body() = R"({"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user",)"
                     R"("content":")" + question + R"("}]})";
    request.prepare_payload();
    return request;
}

// One request over an open connection; every piece of the body is there as soon as it has come.
asio::awaitable<reading> ask(tls_stream* stream, std::string question)
{
    const auto request = request_for(question);
    co_await http::async_write(*stream, request, asio::use_awaitable);
    boost::beast::flat_buffer buffer;
    http::response_parser<http::buffer_body> parser;
    parser.body_limit(boost::none);
    co_await http::async_read_header(*stream, buffer, parser, asio::use_awaitable);
    require(parser.get().result() == http::status::ok, "the server of the streams refused a request");
    parser.eager(true);
    reading result;
    std::array<char, 4096> block;
    while (!parser.is_done()) {
        parser.get().body().data = block.data();
        parser.get().body().size = block.size();
        boost::system::error_code code;
        co_await http::async_read_some(*stream, buffer, parser, asio::redirect_error(asio::use_awaitable, code));
        require(!code || code == http::error::need_buffer, "a stream broke");
        const std::size_t read = block.size() - parser.get().body().size;
        if (result.bytes == 0 && read > 0) result.first_at = wall_ms();
        result.bytes += read;
    }
    co_return result;
}

asio::awaitable<void> connect_and_ask(tls_stream* stream, std::uint16_t port, countdown* join)
{
    co_await connect(stream, port);
    co_await ask(stream, ask_for_word);
    join->arrive();
}

asio::awaitable<void> read_stream(tls_stream* stream, std::size_t* bytes, countdown* join)
{
    const reading got = co_await ask(stream, ask_for_stream);
    *bytes += got.bytes;
    join->arrive();
}

void rethrow(std::exception_ptr error)
{
    if (error) std::rethrow_exception(error);
}

asio::awaitable<double> time_streams(const stream_server* server, stream_shape shape)
{
    const auto executor = co_await asio::this_coro::executor;
    asio::ssl::context tls = trusting(server->ca_pem());
    connections open;
    countdown warm{static_cast<std::size_t>(shape.streams)};
    for (int i = 0; i < shape.streams; ++i) {
        open.push_back(std::make_unique<tls_stream>(executor, tls));
        asio::co_spawn(executor, connect_and_ask(open.back().get(), server->port(), &warm), rethrow);
    }
    co_await warm.wait();

    std::size_t bytes = 0;
    countdown done{static_cast<std::size_t>(shape.streams)};
    const double before = thread_cpu_ns();
    for (auto& stream : open) asio::co_spawn(executor, read_stream(stream.get(), &bytes, &done), rethrow);
    co_await done.wait();
    const double cost = (thread_cpu_ns() - before) / 1000 / shape.streams / shape.chunks;
    require(bytes > static_cast<std::size_t>(shape.streams * shape.chunks) * 50,
            "the streams read with Beast were short");
    co_return cost;
}

asio::awaitable<double> time_first_token(const stream_server* server, int requests)
{
    const auto executor = co_await asio::this_coro::executor;
    asio::ssl::context tls = trusting(server->ca_pem());
    tls_stream stream{executor, tls};
    co_await connect(&stream, server->port());
    std::vector<double> times;
    for (int i = 0; i < requests; ++i) {
        const double before = wall_ms();
        const reading got = co_await ask(&stream, ask_for_word);
        times.push_back(got.first_at - before);
    }
    co_return median_of(std::move(times));
}

}  // namespace

double median_of(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

double beast_us_per_chunk(const stream_server& server, const stream_shape& shape)
{
    return run_awaitable(time_streams(&server, shape));
}

double beast_first_token_ms(const stream_server& server, int requests)
{
    return run_awaitable(time_first_token(&server, requests));
}

}  // namespace weft_bench
