#include "dns_server.hpp"

#include <boost/asio/ip/address.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string_view>

// RFC 1035 §4.
namespace {

constexpr std::size_t header_size = 12;
constexpr unsigned type_a = 1;
constexpr unsigned type_aaaa = 28;

struct question {
    std::string name;
    unsigned type = 0;
    std::size_t end = 0;  // of the question in the message
};

unsigned number_at(std::string_view message, std::size_t at)
{
    return static_cast<unsigned char>(message[at]) * 256U + static_cast<unsigned char>(message[at + 1]);
}

void append_number(std::string& to, unsigned value)
{
    to += static_cast<char>(value >> 8U);
    to += static_cast<char>(value & 0xffU);
}

question question_of(std::string_view message)
{
    question asked;
    std::size_t at = header_size;
    while (at < message.size() && message[at] != 0) {
        const auto size = static_cast<unsigned char>(message[at]);
        asked.name.append(asked.name.empty() ? "" : ".").append(message.substr(at + 1, size));
        at += 1 + size;
    }
    asked.end = at + 5;
    if (asked.end <= message.size()) asked.type = number_at(message, at + 1);
    return asked;
}

std::string address_bytes(const std::string& text, unsigned type)
{
    const auto address = boost::asio::ip::make_address(text);
    std::string bytes;
    if (type == type_a && address.is_v4())
        for (const unsigned char byte : address.to_v4().to_bytes()) bytes += static_cast<char>(byte);
    if (type == type_aaaa && address.is_v6())
        for (const unsigned char byte : address.to_v6().to_bytes()) bytes += static_cast<char>(byte);
    return bytes;
}

std::string reply_to(std::string_view message, const question& asked, const dns_answer& answer)
{
    std::string records;
    unsigned count = 0;
    for (const std::string& text : answer.addresses) {
        const std::string bytes = address_bytes(text, asked.type);
        if (bytes.empty()) continue;
        ++count;
        append_number(records, 0xc00c);  // the name of the question
        append_number(records, asked.type);
        append_number(records, 1);       // Internet
        append_number(records, 0);
        append_number(records, 60);      // seconds
        append_number(records, static_cast<unsigned>(bytes.size()));
        records += bytes;
    }
    std::string reply{message.substr(0, 2)};
    append_number(reply, answer.what == dns_answer::kind::unknown ? 0x8183 : 0x8180);
    append_number(reply, 1);
    append_number(reply, count);
    append_number(reply, 0);
    append_number(reply, 0);
    reply.append(message.substr(header_size, asked.end - header_size)).append(records);
    return reply;
}

}  // namespace

dns_server::dns_server(script answer)
    : answer_{std::move(answer)}, socket_{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)}
{
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof here;
    if (::bind(socket_, reinterpret_cast<const sockaddr*>(&here), size) != 0)
        throw std::runtime_error{"the test's name server cannot listen on the loopback address"};
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&here), &size);
    port_ = ntohs(here.sin_port);
    thread_ = std::thread{[this] { serve(); }};
}

dns_server::~dns_server()
{
    // An empty datagram ends it.
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    here.sin_port = htons(port_);
    ::sendto(socket_, "", 0, 0, reinterpret_cast<const sockaddr*>(&here), sizeof here);
    thread_.join();
    ::close(socket_);
}

void dns_server::serve()
{
    std::array<char, 2048> bytes;
    for (;;) {
        sockaddr_in from{};
        socklen_t size = sizeof from;
        const auto received =
            ::recvfrom(socket_, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
        if (received == 0) return;
        if (received < static_cast<int>(header_size)) continue;
        const std::string_view message{bytes.data(), static_cast<std::size_t>(received)};
        const question asked = question_of(message);
        if (asked.end > message.size()) continue;
        ++asked_;
        const dns_answer answer = answer_(asked.name);
        if (answer.what == dns_answer::kind::silence) continue;
        const std::string reply = reply_to(message, asked, answer);
        ::sendto(socket_, reply.data(), reply.size(), 0, reinterpret_cast<const sockaddr*>(&from), size);
    }
}
