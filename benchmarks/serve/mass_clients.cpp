#include "mass_clients.hpp"

#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "socket_crowd.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <istream>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace weft_bench {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::size_t opened_at_once = 100;

[[noreturn]] void give_up(std::string_view why)
{
    std::fprintf(stderr, "the clients: %.*s\n", static_cast<int>(why.size()), why.data());
    _exit(1);
}

/** All clients of the child. */
class crowd {
public:
    crowd(int clients, std::string request, std::string token, int orders, int answers)
        : wanted_{static_cast<std::size_t>(clients)}, request_{std::move(request)}, token_{std::move(token)},
          orders_{context_, orders}, answers_{answers}
    {
    }

    [[noreturn]] void run()
    {
        obey();
        context_.run();
        _exit(0);
    }

private:
    struct client {
        explicit client(asio::io_context& context) : socket{context} {}
        tcp::socket socket;
        double asked_at = 0;
        bool has_event = false;
        bool has_token = false;
        char last = 0;
        std::string head;  // its request, and then what it reads until its first text
        std::array<char, 2048> bytes{};
    };

    void obey()
    {
        asio::async_read_until(orders_, order_, '\n', [this](const boost::system::error_code& code, std::size_t) {
            if (code) _exit(0);
            std::istream lines{&order_};
            std::string line;
            std::getline(lines, line);
            if (line == "events") answer(std::to_string(events_));
            else begin(static_cast<std::uint16_t>(std::stoi(line)));
            obey();
        });
    }

    void answer(const std::string& text)
    {
        const std::string line = text + "\n";
        if (write(answers_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) give_up("no one listens");
    }

    void begin(std::uint16_t port)
    {
        port_ = port;
        open_more();
    }

    void open_more()
    {
        while (clients_.size() < wanted_ && clients_.size() - begun_ < opened_at_once) {
            client& one = clients_.emplace_back(context_);
            one.socket.async_connect({asio::ip::address_v4::loopback(), port_},
                                     [this, &one](const boost::system::error_code& code) {
                                         if (code) give_up(code.message());
                                         ask(one);
                                     });
        }
    }

    void ask(client& one)
    {
        one.socket.set_option(tcp::no_delay{true});
        one.head = request_of(asked_++);
        one.asked_at = wall_ms();
        asio::async_write(one.socket, asio::buffer(one.head),
                          [this, &one](const boost::system::error_code& code, std::size_t) {
                              one.head.clear();
                              if (code) give_up(code.message());
                              read(one);
                          });
    }

    [[nodiscard]] std::string request_of(std::size_t number) const
    {
        const std::string digits = std::to_string(100'000'000 + number).substr(1);
        std::string request = request_;
        if (const auto place = request.find(client_number); place != request.npos)
            request.replace(place, std::string_view{client_number}.size(), digits);
        return request;
    }

    void read(client& one)
    {
        one.socket.async_read_some(asio::buffer(one.bytes),
                                   [this, &one](const boost::system::error_code& code, std::size_t size) {
                                       if (code) tell_end(one, code);
                                       take(one, {one.bytes.data(), size});
                                       read(one);
                                   });
    }

    [[noreturn]] void tell_end(const client& one, const boost::system::error_code& code) const
    {
        give_up("a stream ended: " + code.message() + "; " + std::to_string(begun_) + " of " + std::to_string(wanted_) +
                " have their first text" + (one.has_token ? ", this one too" : "; of this one came:\n" + one.head));
    }

    void take(client& one, std::string_view bytes)
    {
        for (const char c : bytes) {
            if (c == '\n' && one.last == '\n') ++events_;
            one.last = c;
        }
        if (bytes.ends_with("0\r\n\r\n")) give_up("a stream came to its end before all had been measured");
        if (!one.has_token) look_for_beginning(one, bytes);
    }

    void look_for_beginning(client& one, std::string_view bytes)
    {
        one.head.append(bytes);
        const double now = wall_ms();
        if (!one.has_event && one.head.find("\ndata: ") != std::string::npos) {
            one.has_event = true;
            first_events_.push_back(now - one.asked_at);
        }
        if (one.head.find(token_) == std::string::npos) return;
        one.has_token = true;
        one.head = std::string{};
        first_tokens_.push_back(now - one.asked_at);
        if (++begun_ < wanted_) return open_more();
        std::string times;
        for (const double share : {0.5, 0.99}) times += std::to_string(share_of(first_events_, share)) + ' ';
        for (const double share : {0.5, 0.99}) times += std::to_string(share_of(first_tokens_, share)) + ' ';
        answer(times);
    }

    asio::io_context context_{1};
    std::size_t wanted_;
    std::string request_;
    std::string token_;
    asio::posix::stream_descriptor orders_;
    int answers_;
    asio::streambuf order_;
    std::uint16_t port_ = 0;
    std::deque<client> clients_;
    std::size_t asked_ = 0;
    std::size_t begun_ = 0;
    std::uint64_t events_ = 0;
    std::vector<double> first_events_;
    std::vector<double> first_tokens_;
};

}  // namespace

std::size_t raise_open_files()
{
    rlimit limit{};
    require(getrlimit(RLIMIT_NOFILE, &limit) == 0, "cannot read the limit of open files");
    limit.rlim_cur = limit.rlim_max;
    require(setrlimit(RLIMIT_NOFILE, &limit) == 0, "cannot raise the limit of open files");
    return limit.rlim_cur;
}

mass_clients::mass_clients(int clients, std::string request, std::string token)
{
    raise_open_files();
    std::array<int, 2> orders{};
    std::array<int, 2> answers{};
    require(pipe(orders.data()) == 0 && pipe(answers.data()) == 0, "cannot make a pipe");
    child_ = fork();
    require(child_ >= 0, "cannot start the clients");
    if (child_ == 0) {
        close(orders[1]);
        close(answers[0]);
        crowd{clients, std::move(request), std::move(token), orders[0], answers[1]}.run();
    }
    close(orders[0]);
    close(answers[1]);
    orders_ = orders[1];
    answers_ = answers[0];
}

mass_clients::~mass_clients() { leave(); }

void mass_clients::leave()
{
    if (child_ < 0) return;
    close(orders_);
    close(answers_);
    waitpid(std::exchange(child_, -1), nullptr, 0);
}

void mass_clients::tell(const std::string& line)
{
    const std::string whole = line + "\n";
    require(write(orders_, whole.data(), whole.size()) == static_cast<ssize_t>(whole.size()), "the clients are gone");
}

std::string mass_clients::hear()
{
    std::string line;
    for (char c = 0; read(answers_, &c, 1) == 1 && c != '\n';) line.push_back(c);
    require(!line.empty(), "the clients have ended");
    return line;
}

opening_times mass_clients::open(std::uint16_t port)
{
    tell(std::to_string(port));
    opening_times times;
    require(std::sscanf(hear().c_str(), "%lf %lf %lf %lf", &times.event_p50, &times.event_p99, &times.token_p50,
                        &times.token_p99) == 4,
            "the clients said something else");
    return times;
}

std::uint64_t mass_clients::events()
{
    tell("events");
    return std::stoull(hear());
}

}  // namespace weft_bench
