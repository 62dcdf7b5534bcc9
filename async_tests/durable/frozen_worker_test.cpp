#ifdef WEFT_HAS_POSTGRES

#include "durable/fleet.hpp"

#include <weft/net/http_client.hpp>

#include <array>
#include <csignal>
#include <map>
#include <string>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace frozen_worker_test {

namespace ut = boost::unit_test;

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(frozen_worker_test, *ut::precondition(has_postgres))

/** A model that begins a reply to each call, counts the calls of each process, and ends a reply when it is told to. It
 *  has no OS thread: the test forks. */
class counting_model {
public:
    counting_model()
    {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        BOOST_TEST_REQUIRE(::bind(listening_, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
        BOOST_TEST_REQUIRE(::listen(listening_, 16) == 0);
        socklen_t size = sizeof at;
        BOOST_TEST_REQUIRE(::getsockname(listening_, reinterpret_cast<sockaddr*>(&at), &size) == 0);
        port_ = ntohs(at.sin_port);
    }
    ~counting_model()
    {
        for (const auto& [socket, call] : calls_) ::close(socket);
        ::close(listening_);
    }
    counting_model(const counting_model&) = delete;
    counting_model& operator=(const counting_model&) = delete;

    [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }
    /** Calls of a process so far, and how many of them it has not hung up. */
    [[nodiscard]] int calls_of(pid_t process) const { return counted_.contains(process) ? counted_.at(process) : 0; }
    [[nodiscard]] int open_of(pid_t process) const
    {
        int open = 0;
        for (const auto& [socket, call] : calls_) open += call.process == process && !call.is_ended ? 1 : 0;
        return open;
    }
    /** Ends the replies to a process. */
    void end_replies_to(pid_t process)
    {
        for (auto& [socket, call] : calls_) {
            if (call.process != process || call.is_ended) continue;
            send_text(socket, "5\r\nworld\r\n0\r\n\r\n");
            call.is_ended = true;
        }
    }
    /** Takes calls, and hears who hangs up, until `is_reached()`. */
    template <class Condition>
    void serve_until(Condition is_reached)
    {
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{60};
        while (!is_reached()) {
            BOOST_TEST_REQUIRE((std::chrono::steady_clock::now() < give_up), "the awaited moment never came");
            serve_for(20);
        }
    }

private:
    struct call {
        std::string head = {};
        pid_t process = 0;  // 0: it has not been read
        bool is_ended = false;
    };

    static void send_text(int socket, const std::string& text)
    {
        static_cast<void>(::send(socket, text.data(), text.size(), MSG_NOSIGNAL));
    }

    void serve_for(int milliseconds)
    {
        std::vector<pollfd> watched{{listening_, POLLIN, 0}};
        for (const auto& [socket, call] : calls_) watched.push_back({socket, POLLIN, 0});
        if (::poll(watched.data(), watched.size(), milliseconds) <= 0) return;
        for (std::size_t i = 1; i < watched.size(); ++i)
            if (watched[i].revents != 0) read_from(watched[i].fd);
        if (watched[0].revents == 0) return;
        const int accepted = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
        if (accepted >= 0) calls_.try_emplace(accepted);
    }

    void read_from(int socket)
    {
        call& of = calls_.at(socket);
        std::array<char, 4096> piece{};
        const ssize_t got = ::recv(socket, piece.data(), piece.size(), MSG_DONTWAIT);
        if (got <= 0) {
            ::close(socket);
            calls_.erase(socket);
            return;
        }
        of.head.append(piece.data(), static_cast<std::size_t>(got));
        const std::size_t end = of.head.find("\r\n\r\n");
        if (end == of.head.npos) return;
        const std::size_t named = of.head.find("process-id: ");
        BOOST_TEST_REQUIRE(named != of.head.npos);
        of.process = std::stoi(of.head.substr(named + 12));
        of.is_ended = false;
        of.head.erase(0, end + 4);
        ++counted_[of.process];
        send_text(socket, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
                          "6\r\nhello \r\n");
    }

    const int listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unsigned short port_ = 0;
    std::map<int, call> calls_;
    std::map<pid_t, int> counted_;
};

/** Two calls of a model, one after the other. */
weft::task<void> talk(weft::node_context& context, std::string url)
{
    weft::http_client client;
    std::string said;
    for (int i = 0; i < 2; ++i) {
        weft::http_request request{"GET", weft::url{url}};
        request.header("process-id", std::to_string(::getpid()));
        weft::http_response response = co_await client.send(std::move(request));
        const std::string reply = co_await response.read_all(1'000);
        said += reply;
    }
    context.set(total, static_cast<std::int64_t>(said.size()));
}

BOOST_AUTO_TEST_CASE(a_worker_that_wakes_after_its_lease_hangs_up_and_calls_no_model_for_runs_that_it_has_lost)
{
    counting_model model;
    fleet all{[url = model.url()] {
        weft::graph_builder builder{"talks"};
        builder.state(total).node("talk", [url](weft::node_context& context) { return talk(context, url); });
        return graphs_of(builder.edge(weft::start, "talk").build());
    }};
    const pid_t first = all.start("first");
    all.enter("talks", 0, 1);
    model.serve_until([&] { return model.calls_of(first) == 1; });
    const pid_t second = all.start("second");
    ::kill(first, SIGSTOP);
    model.serve_until([&] { return model.calls_of(second) == 1; });
    BOOST_TEST(model.open_of(first) == 1);  // it stands still, with a reply that goes on

    ::kill(first, SIGCONT);
    model.serve_until([&] { return model.open_of(first) == 0; });
    BOOST_TEST(model.open_of(second) == 1);
    for (int calls = 1; calls <= 2; ++calls) {
        model.serve_until([&] { return model.calls_of(second) == calls; });
        model.end_replies_to(second);
    }
    const std::string ended = "SELECT count(*) FROM " + all.schema + ".run WHERE phase = 4";
    model.serve_until([&] { return all.ask(ended) == "1"; });
    BOOST_TEST(model.calls_of(first) == 1);
    BOOST_TEST(model.calls_of(second) == 2);
    BOOST_TEST(all.ask("SELECT count(*) FROM " + all.schema + ".checkpoint WHERE kind = 4") == "1");
    BOOST_TEST(all.ask("SELECT max(attempt) FROM " + all.schema + ".run") == "2");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace frozen_worker_test

#endif
