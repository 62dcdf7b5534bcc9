#include "proxy_tunnel.hpp"

#include "net/socket/phase_deadline.hpp"

#include <boost/asio/error.hpp>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <utility>
#include <vector>

namespace weft::net_detail {

namespace {

constexpr std::string_view authorization_begin = "Proxy-Authorization: Basic ";

/** A server error is the proxy's way to say that it did not reach the host; the rest is about who asks for what. */
bool is_out_of_reach(int status) noexcept { return status >= 500; }

std::string_view remedy_for(int status, bool has_credentials) noexcept
{
    constexpr int authentication_required = 407;
    if (is_out_of_reach(status)) return "it does not reach the host; check the host name and the proxy";
    if (status != authentication_required) return "ask who runs it, or reach the host without the proxy (NO_PROXY)";
    return has_credentials ? "check the user and password that go with its address"
                           : "give its address a user and password: http://user:password@…";
}

/** A reason is the peer's text: short, and without control characters. */
std::string status_text(const http_response_head& head)
{
    constexpr std::size_t reason_max = 80;
    std::string text = std::to_string(head.status);
    if (!head.reason.empty()) text.append(" ").append(head.reason.substr(0, reason_max));
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
    return text;
}

error tunnel_failure(const proxy_tunnel& tunnel, const boost::system::error_code& code, bool is_late)
{
    if (is_late)
        return error{errc::connect_timeout, tunnel.endpoint(), tunnel.proxy_name() + " opened no tunnel in time"};
    if (code == boost::asio::error::operation_aborted)
        return error{errc::cancelled, tunnel.endpoint(), "while " + tunnel.proxy_name() + " opened a tunnel"};
    return error{errc::connection_lost, tunnel.endpoint(),
                 tunnel.proxy_name() + " ended the connection instead of opening a tunnel: " + code.message()};
}

}  // namespace

std::size_t proxy_authorization_size(const proxy_server& proxy) noexcept
{
    const std::size_t size = proxy.user().size() + 1 + proxy.password().reveal().size();
    return authorization_begin.size() + (size + 2) / 3 * 4 + 2;
}

void append_proxy_authorization(std::string& out, const proxy_server& proxy)
{
    if (!proxy.has_credentials()) return;
    std::string pair;
    pair.reserve(proxy.user().size() + 1 + proxy.password().reveal().size());
    pair.append(proxy.user()).append(":").append(proxy.password().reveal());
    std::vector<unsigned char> encoded((pair.size() + 2) / 3 * 4 + 1);
    const int size = EVP_EncodeBlock(encoded.data(), reinterpret_cast<const unsigned char*>(pair.data()),
                                     static_cast<int>(pair.size()));
    out.append(authorization_begin)
        .append(reinterpret_cast<const char*>(encoded.data()), static_cast<std::size_t>(size))
        .append("\r\n");
    OPENSSL_cleanse(pair.data(), pair.size());
    OPENSSL_cleanse(encoded.data(), encoded.size());
}

error proxy_refusal(const std::string& endpoint, const proxy_server& proxy, const http_response_head& head)
{
    std::string detail = "the proxy " + proxy.address().endpoint() + " answered " + status_text(head) + "; ";
    detail.append(remedy_for(head.status, proxy.has_credentials()));
    const errc code = is_out_of_reach(head.status) ? errc::connect_failed : errc::invalid_configuration;
    return error{code, endpoint, std::move(detail)};
}

proxy_tunnel::proxy_tunnel(const url& target, const proxy_server& proxy, std::string_view user_agent)
    : endpoint_{target.endpoint()}, proxy_{proxy}
{
    request_.reserve(128 + 2 * endpoint_.size() + user_agent.size() + proxy_authorization_size(proxy));
    request_.append("CONNECT ").append(endpoint_).append(" HTTP/1.1\r\nHost: ").append(endpoint_).append("\r\n");
    if (!user_agent.empty()) request_.append("User-Agent: ").append(user_agent).append("\r\n");
    append_proxy_authorization(request_, proxy);
    request_.append("\r\n");
    // As to a HEAD, what says its length in an answer to CONNECT does not mean a body.
    constexpr bool has_no_body = true;
    parser_.start({answer_bytes_max, 0}, has_no_body);
}

proxy_tunnel::~proxy_tunnel() { OPENSSL_cleanse(request_.data(), request_.size()); }

boost::asio::mutable_buffer proxy_tunnel::room() noexcept
{
    return {bytes_.data() + size_, bytes_.size() - size_};
}

std::optional<error> proxy_tunnel::received(std::size_t size)
{
    size_ += size;
    const response_parser::result result = parser_.parse(bytes_.data(), size_);
    std::copy(bytes_.begin() + result.consumed, bytes_.begin() + size_, bytes_.begin());
    size_ -= result.consumed;
    if (parser_.has_failed())
        return error{parser_.failure_code(), endpoint_, proxy_name() + ": " + parser_.failure_text()};
    if (!parser_.is_head_done()) return std::nullopt;
    const http_response_head head = parser_.take_head();
    if (!head.is_success()) return proxy_refusal(endpoint_, proxy_, head);
    if (size_ > 0)
        return error{errc::invalid_response, endpoint_, proxy_name() + " sent more than an answer to CONNECT"};
    is_open_ = true;
    return std::nullopt;
}

task<void> open_tunnel(serial_loop& loop, std::shared_ptr<transport> wire, std::shared_ptr<proxy_tunnel> tunnel,
                       time_point deadline)
{
    // What an operation works on must outlive it, also when this coroutine does not.
    using parts = std::pair<std::shared_ptr<transport>, std::shared_ptr<proxy_tunnel>>;
    const auto owner = std::make_shared<const parts>(wire, tunnel);
    phase_deadline phase{loop, [](void* self) { static_cast<transport*>(self)->close(); }, wire.get()};
    phase.start_until(deadline);
    std::optional<error> failure;
    for (std::size_t sent = 0; !failure && sent < tunnel->request().size();) {
        const std::string_view rest = std::string_view{tunnel->request()}.substr(sent);
        const auto [code, size] = co_await wire->write_some(boost::asio::const_buffer(rest.data(), rest.size()), owner);
        if (code || phase.has_passed()) failure = tunnel_failure(*tunnel, code, phase.has_passed());
        sent += size;
    }
    while (!failure && !tunnel->is_open()) {
        const auto [code, size] = co_await wire->read_some(tunnel->room(), owner);
        if (code || phase.has_passed())
            failure = tunnel_failure(*tunnel, code, phase.has_passed());
        else
            failure = tunnel->received(size);
    }
    if (!failure) co_return;
    phase.stop();
    wire->close();
    throw error{std::move(*failure)};
}

}  // namespace weft::net_detail
