#pragma once

#include "loopback_server.hpp"
#include "skipped.hpp"

#include <boost/test/unit_test.hpp>

#include <weft/net/tls_options.hpp>
#include <weft/store/redis_client.hpp>
#include <weft/testing/test_certificates.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace weft_tests {

/** A real Redis server of this machine. Nothing is written to disk. */
class redis_server {
public:
    struct settings {
        std::vector<std::string> arguments = {};
        bool has_tls = false;
    };

    /** Whether there is one; else says that the test is skipped. */
    [[nodiscard]] static bool is_installed()
    {
        return !program().empty() || say_skipped("redis-server is not installed: scripts/install-deps --services");
    }

    redis_server() : redis_server{settings{}} {}
    explicit redis_server(settings how) : settings_{std::move(how)}
    {
        if (settings_.has_tls) write_certificates();
        server_.start([this](std::uint16_t port) { return command(std::to_string(port)); });
    }

    [[nodiscard]] std::uint16_t port() const noexcept { return server_.port(); }
    [[nodiscard]] weft::redis_options options() const
    {
        weft::redis_options options{"localhost", port()};
        if (settings_.has_tls) options.tls = weft::tls_options{.ca_pem = authority_.certificate_pem()};
        return options;
    }
    [[nodiscard]] weft::redis_client client() const { return weft::redis_client{options()}; }

    void kill() noexcept { server_.kill(); }
    /** Starts it again on the port that it had, without anything that it knew. */
    void restart() { server_.restart(); }
    void pause() const noexcept { server_.pause(); }
    void go_on() const noexcept { server_.go_on(); }

private:
    static std::string program()
    {
        return loopback_server::find_program(
            {"/usr/bin/redis-server", "/usr/local/bin/redis-server", "/opt/homebrew/bin/redis-server"});
    }
    void write_certificates()
    {
        const weft::testing::issued_certificate leaf = authority_.issue();
        server_.write_file("ca.pem", authority_.certificate_pem());
        server_.write_file("server.pem", leaf.certificate_pem);
        server_.write_file("key.pem", leaf.key_pem);
    }
    [[nodiscard]] std::string file(const char* name) const { return (server_.folder() / name).string(); }
    std::vector<std::string> command(const std::string& port) const
    {
        std::vector<std::string> all = {program(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
                                        "--daemonize", "no", "--dir", server_.folder().string(),
                                        "--logfile", file("log")};
        const auto add = [&](std::initializer_list<std::string> more) { all.insert(all.end(), more); };
        if (settings_.has_tls)
            add({"--port", "0", "--tls-port", port, "--tls-auth-clients", "no", "--tls-ca-cert-file", file("ca.pem"),
                 "--tls-cert-file", file("server.pem"), "--tls-key-file", file("key.pem")});
        else
            add({"--port", port});
        all.insert(all.end(), settings_.arguments.begin(), settings_.arguments.end());
        return all;
    }

    settings settings_;
    weft::testing::certificate_authority authority_;
    loopback_server server_{"redis"};
};

}  // namespace weft_tests

/** A test case that needs a Redis server, and is skipped where none is installed. */
#define WEFT_REDIS_TEST_CASE(name)                                                                                    \
    static void name##_body();                                                                                        \
    BOOST_AUTO_TEST_CASE(name)                                                                                        \
    {                                                                                                                 \
        if (weft_tests::redis_server::is_installed()) name##_body();                                                  \
        BOOST_TEST(true);                                                                                             \
    }                                                                                                                 \
    static void name##_body()
