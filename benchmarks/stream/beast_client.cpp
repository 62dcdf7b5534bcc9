#include "beast_client.hpp"

#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <array>
#include <exception>
#include <utility>

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

namespace weft_bench::beast {

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

namespace {

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

}  // namespace

asio::awaitable<reading> ask(tls_stream* stream, std::string question, std::function<void()> on_head)
{
    const auto request = request_for(question);
    co_await http::async_write(*stream, request, asio::use_awaitable);
    boost::beast::flat_buffer buffer;
    http::response_parser<http::buffer_body> parser;
    parser.body_limit(boost::none);
    co_await http::async_read_header(*stream, buffer, parser, asio::use_awaitable);
    require(parser.get().result() == http::status::ok, "the server of the streams refused a request");
    if (on_head) on_head();
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

asio::awaitable<void> ask_for_pieces(tls_stream* stream, std::string question, const piece_function& on_piece)
{
    {
        const auto request = request_for(question);
        co_await http::async_write(*stream, request, asio::use_awaitable);
    }
    boost::beast::flat_buffer buffer;
    http::response_parser<http::buffer_body> parser;
    parser.body_limit(boost::none);
    co_await http::async_read_header(*stream, buffer, parser, asio::use_awaitable);
    require(parser.get().result() == http::status::ok, "the server of the streams refused a request");
    // Not eager: behind each piece a line break is left of its chunk, for which Beast reads on until the block is full.
    std::array<char, 4096> block;
    while (!parser.is_done()) {
        parser.get().body().data = block.data();
        parser.get().body().size = block.size();
        boost::system::error_code code;
        co_await http::async_read_some(*stream, buffer, parser, asio::redirect_error(asio::use_awaitable, code));
        require(!code || code == http::error::need_buffer, "a stream broke");
        const std::size_t read = block.size() - parser.get().body().size;
        if (read > 0) co_await on_piece({block.data(), read});
    }
}

void rethrow(std::exception_ptr error)
{
    if (error) std::rethrow_exception(error);
}

}  // namespace weft_bench::beast
