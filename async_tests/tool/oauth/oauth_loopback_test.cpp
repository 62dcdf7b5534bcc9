#include <boost/test/unit_test.hpp>

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/net/http_client.hpp>
#include <weft/tool/oauth/oauth_loopback.hpp>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <future>
#include <string>

BOOST_AUTO_TEST_SUITE(oauth_loopback_test)

namespace {

using weft::task;
namespace ip = boost::asio::ip;

/** Sends bytes to a port of this machine and gives what comes back until the end. Blocks. */
std::string talk(std::uint16_t port, const std::string& bytes)
{
    boost::asio::io_context context;
    ip::tcp::socket socket{context};
    socket.connect({ip::address_v4::loopback(), port});
    boost::asio::write(socket, boost::asio::buffer(bytes));
    std::string reply;
    boost::system::error_code end;
    boost::asio::read(socket, boost::asio::dynamic_buffer(reply), end);
    return reply;
}

std::string get(std::uint16_t port, const std::string& target, const std::string& host = "")
{
    const std::string name = host.empty() ? "127.0.0.1:" + std::to_string(port) : host;
    return talk(port, "GET " + target + " HTTP/1.1\r\nHost: " + name + "\r\n\r\n");
}

std::string status_of(const std::string& reply) { return reply.substr(0, reply.find("\r\n")); }

/** Waits for a browser, which `browse` is, on an OS thread of its own. */
task<std::string> flow(std::function<void(std::uint16_t)> browse, std::string* redirect_uri)
{
    std::future<void> browsing;
    weft::oauth_loopback_options options;
    std::uint16_t port = 0;
    options.show = [&](const std::string& url) {
        BOOST_TEST(url == "https://as.example/go?x=1");
        browsing = std::async(std::launch::async, browse, port);
    };
    const auto open = weft::oauth_loopback(options);
    weft::oauth_redirect redirect = co_await open();
    *redirect_uri = redirect.uri;
    port = weft::url{redirect.uri}.port();
    std::string query = co_await redirect.visit("https://as.example/go?x=1");
    browsing.get();
    co_return query;
}

}  // namespace

BOOST_AUTO_TEST_CASE(M4_the_browser_comes_back_to_a_port_that_answers_nothing_else)
{
    std::string uri;
    std::vector<std::string> said;
    const auto browse = [&](std::uint16_t port) {
        boost::asio::io_context context;
        ip::tcp::socket silent{context};  // as browsers open some
        silent.connect({ip::address_v4::loopback(), port});
        said.push_back(get(port, "/favicon.ico"));
        said.push_back(get(port, "/callback"));
        said.push_back(get(port, "/callback/x?code=1"));
        said.push_back(get(port, "/callback?code=1", "evil.example"));
        const std::string own = "Host: 127.0.0.1:" + std::to_string(port);
        said.push_back(talk(port, "POST /callback?code=1 HTTP/1.1\r\n" + own + "\r\n\r\n"));
        said.push_back(talk(port, std::string(20'000, 'a')));
        said.push_back(get(port, "/callback?code=c&state=s"));
    };
    const std::string query = weft::run_blocking(flow(browse, &uri));
    BOOST_TEST(query == "code=c&state=s");
    BOOST_TEST(uri.starts_with("http://127.0.0.1:"));
    BOOST_TEST(uri.ends_with("/callback"));
    BOOST_REQUIRE(said.size() == 7U);
    for (std::size_t i = 0; i < 5; ++i) BOOST_TEST(status_of(said[i]) == "HTTP/1.1 404 Not Found");
    BOOST_TEST(said[5] == "");
    BOOST_TEST(status_of(said[6]) == "HTTP/1.1 200 OK");
    BOOST_TEST(said[6].find("You can close this window") != std::string::npos);
    BOOST_TEST(said[6].find("state") == std::string::npos);
    // The port is closed.
    BOOST_CHECK_THROW(get(weft::url{uri}.port(), "/callback?code=c"), boost::system::system_error);
}

BOOST_AUTO_TEST_CASE(M4_a_wait_for_a_browser_can_be_stopped)
{
    std::string uri;
    const auto nothing = [](std::uint16_t) {};
    const auto wait = [](std::function<void(std::uint16_t)> browse, std::string* at) -> task<std::string> {
        task<std::string> flowing = flow(std::move(browse), at);
        std::string query = co_await weft::with_deadline(std::move(flowing), std::chrono::milliseconds{20});
        co_return query;
    };
    BOOST_CHECK_EXCEPTION((void)weft::run_blocking(wait(nothing, &uri)), weft::error,
                          [](const weft::error& e) { return e.code() == weft::errc::timeout; });
    BOOST_CHECK_THROW(get(weft::url{uri}.port(), "/callback?code=c"), boost::system::system_error);
}

BOOST_AUTO_TEST_CASE(M4_a_port_that_is_taken_is_named)
{
    boost::asio::io_context context;
    ip::tcp::acceptor taken{context, {ip::address_v4::loopback(), 0}};
    weft::oauth_loopback_options options;
    options.show = [](const std::string&) {};
    options.port = taken.local_endpoint().port();
    const auto open = weft::oauth_loopback(options);
    BOOST_CHECK_EXCEPTION((void)weft::run_blocking(open()), weft::error, [&](const weft::error& e) {
        return e.code() == weft::errc::invalid_configuration &&
               e.detail().find(std::to_string(options.port)) != std::string::npos;
    });
}

BOOST_AUTO_TEST_SUITE_END()
