#pragma once

#include <weft/async/task.hpp>
#include <weft/net/byte_stream.hpp>
#include <weft/net/http_client.hpp>
#include <weft/net/http_client_options.hpp>
#include <weft/testing/network/network_weather.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace weft::net_detail {
class acceptor;
}

namespace weft::testing {

class simulation;

namespace network_detail {
class virtual_net;
class virtual_end;
}  // namespace network_detail

/** What has happened in a network. */
struct network_counts {
    std::uint64_t connections = 0;    ///< That were opened.
    std::uint64_t resets = 0;         ///< Of these, broken by the weather or by `reset_all`.
    std::uint64_t pieces = 0;
    std::uint64_t bytes = 0;          ///< That arrived.
    std::size_t write_bytes_max = 0;  ///< The largest piece of memory that an end wanted to write at once.
    std::uint64_t wrote_now = 0;      ///< Writes that took no operation (`transport::write_now`).
    std::uint64_t read_now = 0;       ///< Reads of that kind.
};

/** One end of a connection, for tests that say each byte themselves. What speaks HTTP has `virtual_network::client`.
 *
 *  @par Thread safety   None: it belongs to the loop of its simulation.
 *  @par Lifetimes       The last copy closes the connection; it must not go while an operation of it is awaited. */
class virtual_peer {
public:
    virtual_peer() noexcept = default;
    explicit virtual_peer(std::shared_ptr<network_detail::virtual_end> end) noexcept;
    virtual_peer(virtual_peer&&) noexcept = default;
    virtual_peer& operator=(virtual_peer&&) noexcept;
    ~virtual_peer();

    /** Sends all of it; waits for room in the window.
     *  @par Errors   `errc::connection_lost`; `errc::cancelled`. */
    [[nodiscard]] task<void> send(std::string bytes);
    /** Waits for bytes. @return  Those that have come, at most `bytes_max`; empty: the other end has said its last.
     *  @par Errors   `errc::connection_lost`; `errc::cancelled`. */
    [[nodiscard]] task<std::string> receive(std::size_t bytes_max = 16 * 1024);
    /** Says that nothing more will be sent; `receive` goes on. */
    void end_sending() noexcept;
    /** Closes; the other end reads what is on its way, and then the end. */
    void close() noexcept;
    /** Breaks the connection: what is on its way is lost. */
    void reset() noexcept;

private:
    std::shared_ptr<network_detail::virtual_end> end_;
};

/** A network in memory, on the virtual time of a simulation: servers listen, clients connect, and the seed of the
 *  simulation decides how long each piece is on its way, how large it is, and which connection breaks.
 *
 *      weft::testing::simulation world{seed};
 *      weft::testing::virtual_network network{world};
 *      weft::memory_store store;
 *      weft::server server{world.loop(), weft::server_stores{store}, {research}};
 *      server.listen_on(network.listen("localhost:80"));
 *      weft::testing::simulation::root running{world, server.run()};
 *      weft::http_client client = network.client();
 *      weft::http_request request{"GET", weft::url{"http://localhost/ok"}};
 *      weft::http_response answer = world.run(client.send(std::move(request)));
 *
 *  Faults are the network's `weather`, which can change at any moment: delays, reads and writes of every size, a window
 *  that a client which reads nothing fills, resets. A client breaks or half-closes a connection by its `virtual_peer`;
 *  a server whose process dies is a destroyed `root` and `reset_all`. Names are addresses: there is no lookup, no TLS.
 *
 *  @par Thread safety   None.
 *  @par Lifetimes       `world` outlives it. Connections and servers may outlive it, or the other way round. */
class virtual_network {
public:
    explicit virtual_network(simulation& world, network_weather weather = network_weather{});
    ~virtual_network();
    virtual_network(const virtual_network&) = delete;
    virtual_network& operator=(const virtual_network&) = delete;

    /** A place to connect to, for `listen_on` of a server, which owns it: it is gone with the server.
     *  @param address   Host and port; without a port: 80. One that is taken is taken over. */
    [[nodiscard]] std::shared_ptr<net_detail::acceptor> listen(std::string_view address);

    /** A client of HTTP that connects over this network, by `http://` alone. */
    [[nodiscard]] http_client client(http_client_options options = http_client_options{}) const;
    /** Connects by hand.
     *  @par Errors   `errc::connect_failed`: nothing listens there. */
    [[nodiscard]] task<virtual_peer> connect(std::string address) const;

    /** From now on. */
    void set_weather(network_weather weather);
    [[nodiscard]] const network_weather& weather() const noexcept;

    /** Breaks all connections at once, as when the process of one side dies. */
    void reset_all() noexcept;

    [[nodiscard]] network_counts counts() const noexcept;
    /** Connections of which both ends are open. */
    [[nodiscard]] std::size_t open() const noexcept;

private:
    std::shared_ptr<network_detail::virtual_net> net_;
};

}  // namespace weft::testing
