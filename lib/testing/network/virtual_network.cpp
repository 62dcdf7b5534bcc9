#include <weft/testing/virtual_network.hpp>

#include "virtual_link.hpp"
#include "virtual_net.hpp"

#include <weft/base/error.hpp>
#include <weft/net/connection/connector.hpp>
#include <weft/testing/simulation.hpp>

#include <boost/asio/error.hpp>

#include <chrono>
#include <utility>

namespace weft::testing {

namespace {

constexpr std::chrono::minutes connect_max{1};

/** Opens the connections of an `http_client`. */
class virtual_connector final : public net_detail::connector {
public:
    explicit virtual_connector(std::shared_ptr<network_detail::virtual_net> net) noexcept : net_{std::move(net)} {}

    task<std::shared_ptr<net_detail::transport>> open(url target, std::chrono::nanoseconds limit) override
    {
        if (target.scheme() == url_scheme::https)
            throw error{errc::tls_failed, target.host(), "a virtual network has no TLS: use http://"};
        std::string address = target.host() + ':' + std::to_string(target.port());
        std::shared_ptr<network_detail::virtual_end> end = co_await net_->connect(std::move(address), limit);
        co_return end;
    }

private:
    std::shared_ptr<network_detail::virtual_net> net_;
};

/** What an operation came to. */
task<void> check(boost::system::error_code code)
{
    if (!code || code == boost::asio::error::eof) co_return;
    const bool is_stopped = co_await this_task::stop_requested();
    if (is_stopped) throw error{errc::cancelled, "a virtual peer"};
    throw error{errc::connection_lost, "a virtual peer", code.message()};
}

}  // namespace

virtual_peer::virtual_peer(std::shared_ptr<network_detail::virtual_end> end) noexcept : end_{std::move(end)} {}

virtual_peer::~virtual_peer() { close(); }

virtual_peer& virtual_peer::operator=(virtual_peer&& other) noexcept
{
    if (this == &other) return *this;
    close();
    end_ = std::move(other.end_);
    return *this;
}

task<void> virtual_peer::send(std::string bytes)
{
    const std::shared_ptr<network_detail::virtual_end> end = end_;
    const auto kept = std::make_shared<const std::string>(std::move(bytes));
    for (std::size_t sent = 0; sent < kept->size();) {
        const boost::asio::const_buffer rest{kept->data() + sent, kept->size() - sent};
        const auto [code, size] = co_await end->write_some(rest, kept);
        co_await check(code);
        sent += size;
    }
}

task<std::string> virtual_peer::receive(std::size_t bytes_max)
{
    const std::shared_ptr<network_detail::virtual_end> end = end_;
    const auto kept = std::make_shared<std::string>(bytes_max, '\0');
    const boost::asio::mutable_buffer room{kept->data(), kept->size()};
    const auto [code, size] = co_await end->read_some(room, kept);
    co_await check(code);
    co_return kept->substr(0, size);
}

void virtual_peer::end_sending() noexcept { end_->end_sending(); }

void virtual_peer::close() noexcept
{
    if (end_) end_->close();
}

void virtual_peer::reset() noexcept { end_->reset(); }

virtual_network::virtual_network(simulation& world, network_weather weather)
    : net_{std::make_shared<network_detail::virtual_net>(world.loop(), world.seed(), weather)}
{
}

virtual_network::~virtual_network() = default;

std::shared_ptr<net_detail::acceptor> virtual_network::listen(std::string_view address)
{
    return net_->listen(address);
}

http_client virtual_network::client(http_client_options options) const
{
    const http_client::connector_factory connects = [net = net_](serial_loop&) {
        return std::make_unique<virtual_connector>(net);
    };
    return http_client{std::move(options), connects};
}

task<virtual_peer> virtual_network::connect(std::string address) const
{
    std::shared_ptr<network_detail::virtual_end> end = co_await net_->connect(std::move(address), connect_max);
    co_return virtual_peer{std::move(end)};
}

void virtual_network::set_weather(network_weather weather) { net_->weather = weather; }

const network_weather& virtual_network::weather() const noexcept { return net_->weather; }

void virtual_network::reset_all() noexcept { net_->reset_all(); }

network_counts virtual_network::counts() const noexcept { return net_->counts; }

std::size_t virtual_network::open() const noexcept { return net_->open; }

}  // namespace weft::testing
