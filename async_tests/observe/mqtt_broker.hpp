#pragma once

#include <boost/test/unit_test.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace weft_tests {

/** A real MQTT broker of this machine on a free loopback port, with a folder of its own; gone at the end whatever
 *  happens. */
class mqtt_broker {
public:
    /** Whether there is one; else says that the test is skipped. */
    [[nodiscard]] static bool is_installed()
    {
        if (!program().empty()) return true;
        BOOST_TEST_MESSAGE("skipped: mosquitto is not installed (scripts/install-deps --services)");
        return false;
    }

    mqtt_broker()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "weft-mqtt-XXXXXX").string();
        if (!::mkdtemp(pattern.data())) throw std::runtime_error{"no temporary folder for mosquitto"};
        folder_ = pattern;
        std::filesystem::permissions(folder_, std::filesystem::perms::all);  // it gives its own rights up
        for (int attempt = 1; !start(); ++attempt)
            if (attempt == 5) throw std::runtime_error{"mosquitto does not start"};
    }
    ~mqtt_broker()
    {
        kill();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    mqtt_broker(const mqtt_broker&) = delete;
    mqtt_broker& operator=(const mqtt_broker&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    void kill() noexcept
    {
        if (process_ <= 0) return;
        ::kill(process_, SIGKILL);
        ::waitpid(std::exchange(process_, -1), nullptr, 0);
    }
    /** Starts it again on the port that it had. */
    void restart()
    {
        kill();
        if (!run()) throw std::runtime_error{"mosquitto does not start again"};
    }

private:
    static std::string program()
    {
        for (const char* path : {"/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/opt/homebrew/sbin/mosquitto"})
            if (::access(path, X_OK) == 0) return path;
        return {};
    }
    bool start()
    {
        const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        if (::bind(probe, reinterpret_cast<sockaddr*>(&address), size) != 0) throw std::runtime_error{"no free port"};
        ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size);
        ::close(probe);
        port_ = ntohs(address.sin_port);
        return run();
    }
    bool run()
    {
        const std::string file = (folder_ / "mosquitto.conf").string();
        std::ofstream{file} << "listener " << port_ << " 127.0.0.1\nallow_anonymous true\npersistence false\n"
                            << "log_dest file " << (folder_ / "log").string() << '\n';
        const std::string path = program();
        const pid_t parent = ::getpid();
        process_ = ::fork();
        if (process_ < 0) throw std::runtime_error{"cannot start a process"};
        if (process_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // it goes with the test program, also when that is killed
            if (::getppid() != parent) ::_exit(126);
            ::execl(path.c_str(), path.c_str(), "-c", file.c_str(), static_cast<char*>(nullptr));
            ::_exit(127);
        }
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        while (std::chrono::steady_clock::now() < give_up) {
            if (::waitpid(process_, nullptr, WNOHANG) == process_) return process_ = -1, false;
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

    std::filesystem::path folder_;
    std::uint16_t port_ = 0;
    pid_t process_ = -1;
};

}  // namespace weft_tests
