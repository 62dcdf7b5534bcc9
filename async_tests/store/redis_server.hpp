#pragma once

#include <boost/test/unit_test.hpp>

#include <weft/net/tls_options.hpp>
#include <weft/store/redis_client.hpp>
#include <weft/testing/test_certificates.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace weft_tests {

/** A real Redis server of this machine: on a free loopback port, in a folder of its own, without rights, gone at the
 *  end whatever happens. Nothing is written to disk. */
class redis_server {
public:
    struct settings {
        std::vector<std::string> arguments = {};
        bool has_tls = false;
    };

    /** Whether there is one; else says that the test is skipped. */
    [[nodiscard]] static bool is_installed()
    {
        if (!program().empty()) return true;
        BOOST_TEST_MESSAGE("skipped: redis-server is not installed (scripts/install-deps --services)");
        return false;
    }

    redis_server() : redis_server{settings{}} {}
    explicit redis_server(settings how) : settings_{std::move(how)}
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "weft-redis-XXXXXX").string();
        if (!::mkdtemp(pattern.data())) throw std::runtime_error{"no temporary folder for redis-server"};
        folder_ = pattern;
        give_away(folder_);
        if (settings_.has_tls) write_certificates();
        for (int attempt = 1; !start(); ++attempt)
            if (attempt == 5) throw std::runtime_error{"redis-server does not start: " + log()};
    }
    ~redis_server()
    {
        kill();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    redis_server(const redis_server&) = delete;
    redis_server& operator=(const redis_server&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] weft::redis_options options() const
    {
        weft::redis_options options{"localhost", port_};
        if (settings_.has_tls) options.tls(weft::tls_options{}.ca_pem(authority_.certificate_pem()));
        return options;
    }
    [[nodiscard]] weft::redis_client client() const { return weft::redis_client{options()}; }

    void kill() noexcept
    {
        if (process_ <= 0) return;
        ::kill(process_, SIGKILL);
        ::waitpid(std::exchange(process_, -1), nullptr, 0);
    }
    /** Starts it again on the port that it had, without anything that it knew. */
    void restart()
    {
        kill();
        if (!run()) throw std::runtime_error{"redis-server does not start again: " + log()};
    }
    void pause() const noexcept { ::kill(process_, SIGSTOP); }
    void go_on() const noexcept { ::kill(process_, SIGCONT); }

private:
    static constexpr uid_t nobody = 65534;

    static std::string program()
    {
        for (const char* folder : {"/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"}) {
            const std::string path = std::string{folder} + "/redis-server";
            if (::access(path.c_str(), X_OK) == 0) return path;
        }
        return {};
    }
    static void give_away(const std::filesystem::path& path)
    {
        if (::geteuid() == 0 && ::chown(path.c_str(), nobody, nobody) != 0)
            throw std::runtime_error{"cannot give " + path.string() + " away"};
    }
    void write_certificates()
    {
        const weft::testing::issued_certificate leaf = authority_.issue();
        const std::pair<const char*, const std::string*> files[] = {
            {"ca.pem", &authority_.certificate_pem()},
            {"server.pem", &leaf.certificate_pem},
            {"key.pem", &leaf.key_pem},
        };
        for (const auto& [name, text] : files) {
            std::ofstream{folder_ / name} << *text;
            std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_read);
            give_away(folder_ / name);
        }
    }
    bool start()
    {
        port_ = free_port();
        return run();
    }
    static std::uint16_t free_port()
    {
        const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        if (::bind(probe, reinterpret_cast<sockaddr*>(&address), size) != 0) throw std::runtime_error{"no free port"};
        ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size);
        ::close(probe);
        return ntohs(address.sin_port);
    }
    std::vector<std::string> command() const
    {
        const std::string port = std::to_string(port_);
        std::vector<std::string> all = {program(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
                                        "--daemonize", "no", "--dir", folder_.string(),
                                        "--logfile", (folder_ / "log").string()};
        const auto add = [&](std::initializer_list<std::string> more) { all.insert(all.end(), more); };
        if (settings_.has_tls)
            add({"--port", "0", "--tls-port", port, "--tls-auth-clients", "no",
                 "--tls-ca-cert-file", (folder_ / "ca.pem").string(),
                 "--tls-cert-file", (folder_ / "server.pem").string(),
                 "--tls-key-file", (folder_ / "key.pem").string()});
        else
            add({"--port", port});
        all.insert(all.end(), settings_.arguments.begin(), settings_.arguments.end());
        return all;
    }
    bool run()
    {
        std::vector<std::string> words = command();
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        const pid_t parent = ::getpid();
        process_ = ::fork();
        if (process_ < 0) throw std::runtime_error{"cannot start a process"};
        if (process_ == 0) {
            // It goes with the test program, also when that is killed.
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (::getppid() != parent) ::_exit(126);
            if (::geteuid() == 0 && (::setgid(nobody) != 0 || ::setuid(nobody) != 0)) ::_exit(126);
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // forgotten with the rights
            ::execv(arguments[0], arguments.data());
            ::_exit(127);
        }
        return is_listening_soon();
    }
    bool is_listening_soon()
    {
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        while (std::chrono::steady_clock::now() < give_up) {
            if (::waitpid(process_, nullptr, WNOHANG) == process_) {
                process_ = -1;  // the port was taken meanwhile, most likely
                return false;
            }
            if (accepts_connections()) return true;
            ::poll(nullptr, 0, 5);
        }
        kill();
        return false;
    }
    bool accepts_connections() const
    {
        const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port_);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const bool is_there = ::connect(probe, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
        ::close(probe);
        return is_there;
    }
    std::string log() const
    {
        std::ifstream file{folder_ / "log"};
        return {std::istreambuf_iterator<char>{file}, {}};
    }

    settings settings_;
    weft::testing::certificate_authority authority_;
    std::filesystem::path folder_;
    std::uint16_t port_ = 0;
    pid_t process_ = -1;
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
