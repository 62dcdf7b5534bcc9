#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/** An HTTPS client by hand: Asio and Beast, and nothing around them. */
namespace weft_bench::beast {

using tls_stream = boost::asio::ssl::stream<boost::asio::ip::tcp::socket>;
using connections = std::vector<std::unique_ptr<tls_stream>>;

/** What was read of a response's body. */
struct reading {
    std::size_t bytes = 0;
    double first_at = 0;
};

[[nodiscard]] boost::asio::ssl::context trusting(const std::string& ca_pem);

boost::asio::awaitable<void> connect(tls_stream* stream, std::uint16_t port);

/** One request over an open connection.
 *  @param on_head   Called when the head of the response is there, if it is not empty. */
boost::asio::awaitable<reading> ask(tls_stream* stream, std::string question, std::function<void()> on_head = {});

/** Takes a piece of a response's body, before the next one is read. */
using piece_function = std::function<boost::asio::awaitable<void>(std::string_view bytes)>;

/** One request, whose response is handed on piece by piece.
 *  @param on_piece   Outlives the operation. */
boost::asio::awaitable<void> ask_for_pieces(tls_stream* stream, std::string question, const piece_function& on_piece);

/** For what is spawned and must not fail. */
void rethrow(std::exception_ptr error);

}  // namespace weft_bench::beast
