#pragma once

#include "server_state.hpp"

#include <weft/async/task.hpp>
#include <weft/engine/runtime.hpp>
#include <weft/net/options/listen_address.hpp>
#include <weft/net/options/tls_server_options.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace weft::serve_detail {

/** The loops that a server has besides its own. On each there is a server; clients meet any of them.
 *
 *  @par Thread safety   None: it belongs to the loop of the server, which is none of these.
 *  @par Lifetimes       The runtime outlives it. Constructor, `listen`, `reload_tls`, `replace_auth` and the destructor
 *                       wait for the other OS threads. */
class server_loops {
public:
    /** Makes the server of a loop, on it. */
    using make_function = std::function<std::unique_ptr<server_state>(serial_loop& loop, std::size_t index)>;

    server_loops(runtime& loops, const make_function& make);
    ~server_loops();
    server_loops(const server_loops&) = delete;
    server_loops& operator=(const server_loops&) = delete;

    /** What is listened on already by the server itself. An address that cannot be shared stays its own. */
    void listen(const listen_address& at, const std::optional<tls_server_options>& tls);
    void reload_tls();
    void replace_auth(const auth_options& auth);
    void drain();
    /** Serves on all loops until a drain is done. */
    [[nodiscard]] task<void> run();
    /** When all servers have ended: no loop has anything left then that another one has sent it. */
    [[nodiscard]] task<void> pass_messages();
    /** As of a server. What waiting threads can do is asked there. */
    [[nodiscard]] task<void> replace_graphs(std::vector<served_graph> graphs, std::vector<served_entry> entries);

private:
    struct peer;
    template <class Action>
    void on_each(const Action& action);
    static task<void> serve(std::shared_ptr<peer> self);
    static task<void> drop(std::shared_ptr<peer> self);

    std::vector<std::shared_ptr<peer>> peers_;
};

}  // namespace weft::serve_detail
