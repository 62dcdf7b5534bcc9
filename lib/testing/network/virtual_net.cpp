#include "virtual_net.hpp"

#include "virtual_link.hpp"

#include <weft/async/signal.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/net/server/acceptor.hpp>

#include <deque>
#include <utility>

namespace weft::testing::network_detail {

/** Where a server waits for connections. */
class virtual_listener final : public net_detail::acceptor {
public:
    ~virtual_listener() override { close(); }

    task<net_detail::accepted_connection> accept() override
    {
        while (waiting_.empty()) {
            if (is_closed_) throw error{errc::cancelled, "the virtual listener", "it was closed"};
            co_await arrived_.wait();
        }
        net_detail::accepted_connection next = std::move(waiting_.front());
        waiting_.pop_front();
        co_return next;
    }
    void close() noexcept override
    {
        is_closed_ = true;
        waiting_.clear();
        arrived_.notify();
    }

    [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }
    void push(net_detail::accepted_connection connection)
    {
        waiting_.push_back(std::move(connection));
        arrived_.notify();
    }

private:
    std::deque<net_detail::accepted_connection> waiting_;
    signal arrived_;
    bool is_closed_ = false;
};

namespace {

std::string with_port(std::string_view address)
{
    std::string result{address};
    if (address.find(':') == address.npos) result += ":80";
    return result;
}

}  // namespace

virtual_net::virtual_net(serial_loop& loop, std::uint64_t seed, network_weather given)
    : weather{given}, loop_{loop}, random_{~seed * 3}
{
}

virtual_net::~virtual_net() = default;

std::chrono::nanoseconds virtual_net::delay()
{
    const auto span = weather.delay_max - weather.delay_min;
    if (span.count() <= 0) return weather.delay_min;
    const auto bound = static_cast<std::uint64_t>(span.count()) + 1;
    return weather.delay_min + std::chrono::nanoseconds{static_cast<std::int64_t>(random_.below(bound))};
}

std::shared_ptr<net_detail::acceptor> virtual_net::listen(std::string_view address)
{
    auto listener = std::make_shared<virtual_listener>();
    listeners_[with_port(address)] = listener;
    return listener;
}

task<std::shared_ptr<virtual_end>> virtual_net::connect(std::string address, std::chrono::nanoseconds limit)
{
    const std::shared_ptr<virtual_net> self = shared_from_this();
    const std::string to = with_port(address);
    const std::chrono::nanoseconds wait = delay();
    if (wait > limit) {
        co_await sleep_for(limit);
        throw error{errc::connect_timeout, to, "the virtual network takes longer"};
    }
    co_await sleep_for(wait);
    const auto found = listeners_.find(to);
    const std::shared_ptr<virtual_listener> listener = found == listeners_.end() ? nullptr : found->second.lock();
    if (!listener || listener->is_closed()) throw error{errc::connect_failed, to, "nothing listens there"};
    const auto link = std::make_shared<virtual_link>(self);
    net_detail::accepted_connection accepted;
    accepted.wire = std::make_shared<virtual_end>(link, 1);
    const std::uint64_t number = ++last_peer_;
    accepted.peer = "10." + std::to_string(number >> 16 & 255) + '.' + std::to_string(number >> 8 & 255) + '.' +
                    std::to_string(number & 255);
    auto near_end = std::make_shared<virtual_end>(link, 0);
    listener->push(std::move(accepted));
    co_return near_end;
}

void virtual_net::reset_all() noexcept
{
    while (!links.empty()) {
        ++counts.resets;
        links.front().break_off();
    }
}

}  // namespace weft::testing::network_detail
