#pragma once

#include "net/connection/connection_pool.hpp"
#include "net/tls/tls_context.hpp"

#include <weft/net/http_client.hpp>

#include <mutex>
#include <vector>

namespace weft::net_detail {

/** What the copies of an `http_client` share: options, TLS context, counters, and the pool of each loop.
 *
 *  A pool belongs to its loop as a guest, so that its sockets never outlive their `io_context`; here is only the way to
 *  it. Loops and clients may go in any order.
 *
 *  @par Thread safety   All operations from any OS thread, `pool_of` on the loop that it is given.
 */
class client_core : public std::enable_shared_from_this<client_core> {
public:
    client_core(http_client_options options, http_client::connector_factory connects);

    [[nodiscard]] const std::shared_ptr<const http_client_options>& options() const noexcept { return options_; }
    [[nodiscard]] const std::shared_ptr<pool_counters>& counters() const noexcept { return counters_; }

    /** The pool of a loop, made on first use. */
    [[nodiscard]] std::shared_ptr<connection_pool> pool_of(serial_loop& loop);

    /** The TLS context, made on first use. @par Errors   As its constructor. */
    [[nodiscard]] std::shared_ptr<tls_context> tls();

    /** Lets go of the pools: the client is gone. Unused connections are closed, here or soon on their loop; those in
     *  use, when their exchange ends. */
    void release_pools();

private:
    class pool_guest;
    struct release_request;

    void release_pool_of(const serial_loop& loop) noexcept;
    void forget(const pool_guest& guest) noexcept;

    std::shared_ptr<const http_client_options> options_;
    std::shared_ptr<pool_counters> counters_ = std::make_shared<pool_counters>();
    http_client::connector_factory connector_factory_;
    std::mutex mutex_;
    std::vector<pool_guest*> guests_;
    std::shared_ptr<tls_context> tls_;
};

}  // namespace weft::net_detail
