#include "worker_network.hpp"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <initializer_list>
#include <stdexcept>
#include <thread>
#include <vector>

extern char** environ;

namespace fleet_chaos {

namespace {

constexpr std::size_t networks_max = 4;

std::string program_ip()
{
    for (const char* file : {"/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip", "/bin/ip"})
        if (std::filesystem::exists(file)) return file;
    return {};
}

/** Runs `ip` in the network of the calling OS thread. */
bool run_ip(std::initializer_list<std::string> words)
{
    std::string program = program_ip();
    if (program.empty()) return false;
    std::vector<char*> arguments{program.data()};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_t process = -1;
    int status = -1;
    return ::posix_spawn(&process, program.c_str(), nullptr, nullptr, arguments.data(), environ) == 0 &&
           ::waitpid(process, &status, 0) == process && status == 0;
}

/** Networks of four addresses each, of which two are of use; those of two processes are hardly the same. */
std::string address_in(std::size_t network, std::size_t host)
{
    const std::size_t place = network * 4 + host;
    return std::to_string(18 + place / 65'536 % 2) + '.' + std::to_string(place / 256 % 256) + '.' +
           std::to_string(place % 256);
}

}  // namespace

worker_network::worker_network(std::size_t number)
{
    if (::getuid() != 0 || program_ip().empty()) return;
    const auto process = static_cast<std::size_t>(::getpid());
    const std::size_t network = process * networks_max + number;
    machine_ = "198." + address_in(network, 1);
    wire_ = "weft" + std::to_string(process) + '-' + std::to_string(number);
    std::jthread{[this, network] {
        if (::unshare(CLONE_NEWNET) != 0) return;
        inside_ = ::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
        is_there_ = lay_wire("198." + address_in(network, 2));
    }}.join();
    is_there_ = is_there_ && run_ip({"address", "add", machine_ + "/30", "dev", wire_}) &&
                run_ip({"link", "set", wire_, "up"});
}

worker_network::~worker_network()
{
    // With its namespace it would go too, but only when no process is left there.
    if (is_there_) static_cast<void>(run_ip({"link", "delete", wire_}));
    if (inside_ >= 0) ::close(inside_);
}

bool worker_network::lay_wire(const std::string& address) const
{
    const std::string here = std::to_string(::getpid());
    return run_ip({"link", "add", "wire", "type", "veth", "peer", "name", wire_, "netns", here}) &&
           run_ip({"address", "add", address + "/30", "dev", "wire"}) && run_ip({"link", "set", "wire", "up"});
}

std::string worker_network::entrance() const
{
    return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(inside_);
}

void worker_network::enter(const std::string& entrance)
{
    const int network = ::open(entrance.c_str(), O_RDONLY | O_CLOEXEC);
    const bool is_in = network >= 0 && ::setns(network, CLONE_NEWNET) == 0;
    if (network >= 0) ::close(network);
    if (!is_in) throw std::runtime_error{"the network " + entrance + " cannot be entered"};
}

void worker_network::unplug() const { static_cast<void>(run_ip({"link", "set", wire_, "down"})); }

void worker_network::plug_in() const { static_cast<void>(run_ip({"link", "set", wire_, "up"})); }

}  // namespace fleet_chaos
