#include "service_manager.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>

namespace weft_cli {

namespace {

constexpr int first_activated = 3;
constexpr int activated_max = 64;

int number_in(const std::optional<std::string>& text)
{
    int number = 0;
    if (text) std::from_chars(text->data(), text->data() + text->size(), number);
    return number;
}

}  // namespace

void notify_service_manager(std::string_view state, const weft::environment_lookup& environment)
{
    const std::optional<std::string> path = environment("NOTIFY_SOCKET");
    sockaddr_un to{};
    if (!path || path->empty() || path->size() >= sizeof to.sun_path) return;
    to.sun_family = AF_UNIX;
    std::memcpy(to.sun_path, path->data(), path->size());
    if (to.sun_path[0] == '@') to.sun_path[0] = '\0';  // a name in the abstract namespace
    const int channel = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (channel < 0) return;
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path->size());
    // A manager that does not listen misses a word, and the server serves all the same.
    static_cast<void>(::sendto(channel, state.data(), state.size(), MSG_NOSIGNAL,
                               reinterpret_cast<const sockaddr*>(&to), size));
    ::close(channel);
}

std::vector<weft::listen_address> activated_sockets(const weft::environment_lookup& environment)
{
    std::vector<weft::listen_address> sockets;
    // The variables may be those of a parent, to whom the sockets were given.
    if (number_in(environment("LISTEN_PID")) != ::getpid()) return sockets;
    const int count = std::clamp(number_in(environment("LISTEN_FDS")), 0, activated_max);
    for (int i = 0; i < count; ++i) sockets.emplace_back("fd:" + std::to_string(first_activated + i));
    return sockets;
}

}  // namespace weft_cli
