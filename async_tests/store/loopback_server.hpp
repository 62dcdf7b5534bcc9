#pragma once

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
#include <functional>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace weft_tests {

/** A server program of this machine: on a free loopback port, in a temporary folder of its own, without rights, gone at
 *  the end whatever happens.
 *
 *  @par Errors   `std::runtime_error`: what does not work, with what stands in the file `log` of its folder. */
class loopback_server {
public:
    /** The program and its arguments, on this port. */
    using command_for = std::function<std::vector<std::string>(std::uint16_t port)>;

    /** The first of these that can be run; empty if there is none. */
    [[nodiscard]] static std::string find_program(std::initializer_list<const char*> paths)
    {
        for (const char* path : paths)
            if (::access(path, X_OK) == 0) return path;
        return {};
    }

    /** Makes the folder. */
    explicit loopback_server(std::string name) : name_{std::move(name)}
    {
        std::string pattern = (std::filesystem::temp_directory_path() / ("weft-" + name_ + "-XXXXXX")).string();
        if (!::mkdtemp(pattern.data())) throw std::runtime_error{"no temporary folder for " + name_};
        folder_ = pattern;
        give_away(folder_);
    }
    ~loopback_server()
    {
        kill();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    loopback_server(const loopback_server&) = delete;
    loopback_server& operator=(const loopback_server&) = delete;

    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

    /** A file in the folder that only the server can read. */
    void write_file(const char* name, const std::string& text) const
    {
        std::filesystem::remove(folder_ / name);
        std::ofstream{folder_ / name} << text;
        std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_read);
        give_away(folder_ / name);
    }
    /** Starts it, on another port if another process took one first. */
    void start(command_for command)
    {
        command_ = std::move(command);
        for (int attempt = 1; attempt <= 5; ++attempt) {
            port_ = free_port();
            if (run()) return;
        }
        throw std::runtime_error{name_ + " does not start: " + log()};
    }
    /** Starts it again on the port that it had. */
    void restart()
    {
        kill();
        if (!run()) throw std::runtime_error{name_ + " does not start again: " + log()};
    }
    void kill() noexcept
    {
        if (process_ <= 0) return;
        ::kill(process_, SIGKILL);
        ::waitpid(std::exchange(process_, -1), nullptr, 0);
    }
    void pause() const noexcept { ::kill(process_, SIGSTOP); }
    void go_on() const noexcept { ::kill(process_, SIGCONT); }

private:
    static constexpr uid_t nobody = 65534;

    static void give_away(const std::filesystem::path& path)
    {
        if (::geteuid() == 0 && ::chown(path.c_str(), nobody, nobody) != 0)
            throw std::runtime_error{"cannot give " + path.string() + " away"};
    }
    static sockaddr_in loopback(std::uint16_t port)
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return address;
    }
    static std::uint16_t free_port()
    {
        const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address = loopback(0);
        socklen_t size = sizeof address;
        const bool is_bound = ::bind(probe, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                              ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0;
        ::close(probe);
        if (!is_bound) throw std::runtime_error{"no free port"};
        return ntohs(address.sin_port);
    }
    bool run()
    {
        std::vector<std::string> words = command_(port_);
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
        const sockaddr_in address = loopback(port_);
        const bool is_there = ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
        ::close(probe);
        return is_there;
    }
    std::string log() const
    {
        std::ifstream file{folder_ / "log"};
        return {std::istreambuf_iterator<char>{file}, {}};
    }

    std::string name_;
    std::filesystem::path folder_;
    command_for command_;
    std::uint16_t port_ = 0;
    pid_t process_ = -1;
};

}  // namespace weft_tests
