#pragma once

#include <weft/async/loop/linked_list.hpp>
#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/task.hpp>
#include <weft/base/random.hpp>
#include <weft/testing/virtual_network.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace weft::testing::network_detail {

class virtual_link;
class virtual_listener;

/** What the connections of a network share.
 *
 *  @par Lifetimes   Connections and clients share it; the loop outlives it. */
class virtual_net : public std::enable_shared_from_this<virtual_net> {
public:
    virtual_net(serial_loop& loop, std::uint64_t seed, network_weather weather);
    ~virtual_net();

    [[nodiscard]] serial_loop& loop() const noexcept { return loop_; }
    [[nodiscard]] random_source& random() noexcept { return random_; }
    [[nodiscard]] std::chrono::nanoseconds delay();

    /** As `virtual_network` says. */
    [[nodiscard]] std::shared_ptr<net_detail::acceptor> listen(std::string_view address);
    [[nodiscard]] task<std::shared_ptr<virtual_end>> connect(std::string address, std::chrono::nanoseconds limit);
    void reset_all() noexcept;

    network_weather weather;
    network_counts counts;
    std::size_t open = 0;
    linked_list<virtual_link, virtual_net> links;

private:
    serial_loop& loop_;
    random_source random_;
    std::map<std::string, std::weak_ptr<virtual_listener>> listeners_;
    std::uint64_t last_peer_ = 0;
};

}  // namespace weft::testing::network_detail
