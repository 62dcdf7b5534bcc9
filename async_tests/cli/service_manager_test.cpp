#include "serve/service_manager.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <string>

BOOST_AUTO_TEST_SUITE(service_manager_test)

weft::environment_lookup with(std::map<std::string, std::string, std::less<>> values)
{
    return [values = std::move(values)](std::string_view name) -> std::optional<std::string> {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional{found->second};
    };
}

BOOST_AUTO_TEST_CASE(the_manager_gets_the_state_as_a_datagram)
{
    const std::string name = "weft-notice-" + std::to_string(::getpid());
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::memcpy(at.sun_path + 1, name.data(), name.size());
    const int manager = ::socket(AF_UNIX, SOCK_DGRAM, 0);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    BOOST_TEST_REQUIRE(::bind(manager, reinterpret_cast<const sockaddr*>(&at), size) == 0);
    weft_cli::notify_service_manager("READY=1", with({{"NOTIFY_SOCKET", '@' + name}}));
    std::array<char, 64> got{};
    const ssize_t count = ::recv(manager, got.data(), got.size(), MSG_DONTWAIT);
    BOOST_TEST_REQUIRE(count == 7);
    BOOST_TEST(std::string(got.data(), 7) == "READY=1");
    ::close(manager);
    // Nothing happens without a manager, or with one that is gone.
    weft_cli::notify_service_manager("READY=1", with({}));
    weft_cli::notify_service_manager("READY=1", with({{"NOTIFY_SOCKET", '@' + name}}));
    weft_cli::notify_service_manager("READY=1", with({{"NOTIFY_SOCKET", std::string(200, 'x')}}));
}

BOOST_AUTO_TEST_CASE(sockets_are_taken_if_they_were_given_to_this_process)
{
    const std::string own = std::to_string(::getpid());
    const auto sockets = weft_cli::activated_sockets(with({{"LISTEN_PID", own}, {"LISTEN_FDS", "2"}}));
    BOOST_TEST_REQUIRE(sockets.size() == 2U);
    BOOST_TEST(sockets[0].to_string() == "fd:3");
    BOOST_TEST(sockets[1].to_string() == "fd:4");
    BOOST_TEST(weft_cli::activated_sockets(with({{"LISTEN_PID", "1"}, {"LISTEN_FDS", "2"}})).empty());
    BOOST_TEST(weft_cli::activated_sockets(with({{"LISTEN_PID", own}, {"LISTEN_FDS", "x"}})).empty());
    BOOST_TEST(weft_cli::activated_sockets(with({})).empty());
}

BOOST_AUTO_TEST_SUITE_END()
