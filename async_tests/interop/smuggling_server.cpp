// Sends requests that can be read in more than one way to a server of weft, directly and through a proxy, and
// compares what the handler gets. Tells its port on a line, then reads that of the proxy from a line.
//
// A request that both ways accept must be the same one; what goes through the proxy as one request is one for us; what
// stands in a body never becomes a request.

#include <weft/async/async_start.hpp>
#include <weft/async/loop/serial_loop.hpp>
#include <weft/net/http_server.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <poll.h>

namespace {

using boost::asio::ip::tcp;
using namespace std::chrono_literals;

/** What the handler has got, a line each. */
class received {
public:
    void add(std::string line)
    {
        const std::lock_guard lock{mutex_};
        lines_.push_back(std::move(line));
    }
    std::vector<std::string> take()
    {
        const std::lock_guard lock{mutex_};
        return std::exchange(lines_, {});
    }

private:
    std::mutex mutex_;
    std::vector<std::string> lines_;
};

received& handled()
{
    static received all;
    return all;
}

weft::task<void> note_request(weft::http_call& call)
{
    std::string line = std::string{call.method()} + ' ' + call.head().target;
    const std::string body = co_await call.read_body();
    handled().add(line + " [" + body + ']');
    weft::http_reply answer{200, "taken\n"};
    co_await call.reply(std::move(answer));
}

/** A server on an OS thread of its own. */
class served {
public:
    served() : server_{weft::serial_loop::of(context_), note_request}
    {
        at_ = server_.listen(weft::listen_address{"127.0.0.1:0"}).port();
        weft::async_start(server_.loop(), server_.run(), [](std::exception_ptr) {});
        thread_ = std::thread{[this] { context_.run(); }};
    }
    ~served()
    {
        context_.stop();
        thread_.join();
    }
    [[nodiscard]] std::uint16_t port() const noexcept { return at_; }

private:
    boost::asio::io_context context_{1};
    weft::http_server server_;
    std::uint16_t at_ = 0;
    std::thread thread_;
};

/** Sends the bytes and gives all that is answered until the other side closes, or says nothing for a while. */
std::string exchange(std::uint16_t port, std::string_view bytes)
{
    boost::asio::io_context context;
    tcp::socket socket{context};
    socket.connect({boost::asio::ip::address_v4::loopback(), port});
    boost::system::error_code code;
    boost::asio::write(socket, boost::asio::buffer(bytes), code);
    std::string answer;
    char piece[4096];
    bool is_over = false;
    while (!is_over) {
        bool has_come = false;
        socket.async_read_some(boost::asio::buffer(piece), [&](boost::system::error_code failed, std::size_t size) {
            has_come = true;
            is_over = static_cast<bool>(failed);
            answer.append(piece, size);
        });
        context.restart();
        context.run_for(150ms);
        if (has_come) continue;
        socket.cancel(code);
        context.restart();
        context.run();
        is_over = true;
    }
    return answer;
}

struct seen {
    std::vector<std::string> requests;
    std::string statuses;  // of the answers
};

seen send(std::uint16_t port, std::string_view bytes)
{
    (void)handled().take();
    const std::string answer = exchange(port, bytes);
    seen result;
    for (std::size_t at = answer.find("HTTP/1.1 "); at != answer.npos; at = answer.find("HTTP/1.1 ", at + 1))
        result.statuses += (result.statuses.empty() ? "" : " ") + answer.substr(at + 9, 3);
    (void)::poll(nullptr, 0, 20);  // what a proxy has sent on may be under way
    result.requests = handled().take();
    return result;
}

std::string shown(const seen& what)
{
    std::string line = "answers " + what.statuses + ", requests";
    for (const std::string& each : what.requests) line.append(" {").append(each).append("}");
    return line;
}

std::string escaped(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        if (c == '\r') result += "\\r";
        else if (c == '\n') result += "\\n";
        else if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126) result += '?';
        else result += c;
    }
    return result;
}

/** Framings and heads that parsers have disagreed on. `SMUGGLED` in a target stands where only one reading has it. */
std::vector<std::string> corpus()
{
    const std::string inner = "GET /SMUGGLED HTTP/1.1\r\nHost: h\r\n\r\n";
    const std::string chunk = "0\r\n\r\n" + inner;
    std::vector<std::string> all;
    const auto post = [&all](const std::string& headers, const std::string& body) {
        all.push_back("POST /p HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n" + body);
    };
    const std::string length = std::to_string(chunk.size());
    post("Content-Length: " + length + "\r\n", chunk);  // no doubt: it is a body
    post("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n");
    for (const char* const name : {"Transfer-Encoding: chunked", "transfer-encoding: CHUNKED",
        "Transfer-Encoding:chunked",
                                   "Transfer-Encoding:  chunked  ", "Transfer-Encoding:\tchunked",
                                       "Transfer-Encoding : chunked",
                                   " Transfer-Encoding: chunked", "X: y\r\n Transfer-Encoding: chunked",
                                   "Transfer-Encoding: chunked, identity", "Transfer-Encoding: identity, chunked",
                                   "Transfer-Encoding: identity", "Transfer-Encoding: xchunked",
                                       "Transfer-Encoding: chunked;q=1",
                                   "Transfer-Encoding: \"chunked\"",
                                       "Transfer-Encoding: chunked\r\nTransfer-Encoding: x",
                                   "Transfer-Encoding: x\r\nTransfer-Encoding: chunked", "Transfer_Encoding: chunked",
                                   "Transfer-Encoding\r\n: chunked", "X: y\nTransfer-Encoding: chunked",
                                   "X: y\rTransfer-Encoding: chunked", "Transfer-Encoding: \x0b" "chunked",
                                   "Transfer-Encoding: chunked\x01"}) {
        const std::string header{name};
        post("Content-Length: " + length + "\r\n" + header + "\r\n", chunk);
        post(header + "\r\nContent-Length: " + length + "\r\n", chunk);
        post("Content-Length: 4\r\n" + header + "\r\n", "1a\r\nGET /SMUGGLED HTTP/1.1\r\nA: b\r\n0\r\n\r\n");
    }
    for (const char* const value : {"+5", "-5", "5 ", " 5", "0x5", "5,5", "5, 6", "5;", "05", "00005", "5 5", "5\t", "",
                                    "18446744073709551621", "5.0", "1e1"})
        post("Content-Length: " + std::string{value} + "\r\n", "hello" + inner);
    post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello" + inner);
    post("Content-Length: 5\r\nContent-Length: 43\r\n", "hello" + inner);
    post("Content_Length: 43\r\nContent-Length: 5\r\n", "hello" + inner);
    for (const char* const size : {"5", "05", "0x5", "5;a=b", "5 ;a", "5;a=\"\n\"", "5\n", "+5", "-5", "5 5", " 5", "G",
                                   "FFFFFFFFFFFFFFFF5", "5;\xff", "5\r"})
        post("Transfer-Encoding: chunked\r\n", std::string{size} + "\r\nhello\r\n0\r\n\r\n" + inner);
    post("Transfer-Encoding: chunked\r\n", "5\r\nhelloX\r\n0\r\n\r\n" + inner);
    post("Transfer-Encoding: chunked\r\n", "5\nhello\n0\n\n" + inner);
    post("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\nContent-Length: 9\r\n\r\n" + inner);
    post("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n00\r\n\r\n" + inner);
    for (const char* const line : {"GET /a HTTP/1.1", "GET  /a HTTP/1.1", "GET /a  HTTP/1.1", "GET\t/a HTTP/1.1",
                                   "GET /a HTTP/1.1 ", "GET /a HTTP/1.2", "GET /a HTTP/2.0", "GET /a",
                                       "GET /a HTTP/1.10",
                                   "GET http://h/a HTTP/1.1", "GET http://other/a HTTP/1.1", "GET //a HTTP/1.1",
                                   "GET /a#b HTTP/1.1", "GET /a\\b HTTP/1.1", "get /a HTTP/1.1", "GET * HTTP/1.1",
                                   "GET /\x01 HTTP/1.1", "GET /a%00b HTTP/1.1"}) {
        all.push_back(std::string{line} + "\r\nHost: h\r\n\r\n" + inner);
        all.push_back(std::string{line} + "\nHost: h\n\n" + inner);
    }
    for (const char* const host : {"", "Host: h\r\nHost: i\r\n", "Host: h/x\r\n", "Host: h@x\r\n", "Host: h x\r\n",
                                   "Host: h,i\r\n", "Host:\r\n", "Host : h\r\n", "Host: h\r\n x\r\n"})
        all.push_back("GET /host HTTP/1.1\r\n" + std::string{host} + "\r\n" + inner);
    all.push_back("GET /body HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(inner.size()) + "\r\n\r\n" +
        inner);
    all.push_back("\r\nGET /blank HTTP/1.1\r\nHost: h\r\n\r\n");
    all.push_back("GET /nul HTTP/1.1\r\nHost: h\r\nX: a" + std::string(1, '\0') + "b\r\n\r\n" + inner);
    return all;
}

/** What is wrong; empty: nothing. */
std::string compare(const seen& direct, const seen& through)
{
    if (direct.requests == through.requests) return {};
    // Refused at one of the two: it never meant two things. What came before the refusal is the same.
    const auto is_beginning = [](const std::vector<std::string>& part, const std::vector<std::string>& whole) {
        return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
    };
    const bool ours_refused = direct.statuses.ends_with("400") || direct.statuses.ends_with("501") ||
                              direct.statuses.ends_with("505") || direct.statuses.ends_with("417");
    if (ours_refused && is_beginning(direct.requests, through.requests)) return {};
    if (is_beginning(through.requests, direct.requests)) return {};  // the proxy has refused
    return "they differ";
}

int run()
{
    served server;
    std::cout << server.port() << '\n' << std::flush;
    std::uint16_t proxy = 0;
    if (!(std::cin >> proxy)) return 1;
    int wrong = 0;
    int refused = 0;
    int taken = 0;
    const std::vector<std::string> all = corpus();
    for (const std::string& each : all) {
        const seen direct = send(server.port(), each);
        const seen through = send(proxy, each);
        const std::string fault = compare(direct, through);
        if (direct.requests.empty()) ++refused;
        if (!direct.requests.empty() && direct.requests == through.requests) ++taken;
        if (fault.empty()) continue;
        ++wrong;
        std::cout << fault << ": " << escaped(each) << "\n  directly: " << shown(direct)
                  << "\n  proxy:    " << shown(through) << '\n';
    }
    std::cout << all.size() << " requests: " << refused << " refused by the server, " << taken
              << " taken and the same both ways, " << wrong << " with two meanings\n";
    return wrong == 0 && taken > 10 ? 0 : 1;
}

}  // namespace

int main()
{
    try {
        return run();
    } catch (const std::exception& e) {
        std::cerr << "smuggling_server: " << e.what() << '\n';
        return 1;
    }
}
