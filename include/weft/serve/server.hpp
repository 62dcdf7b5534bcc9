#pragma once

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/task.hpp>
#include <weft/graph/graph.hpp>
#include <weft/net/http_server.hpp>
#include <weft/serve/server_options.hpp>
#include <weft/serve/waiting_threads.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace weft {

namespace serve_detail {
class server_loops;
class server_state;
}

/** Serves graphs over HTTP: LangGraph's clients create threads, begin runs, follow them and answer their questions.
 *
 *      boost::asio::io_context context{1};
 *      weft::memory_store store;
 *      weft::server server{weft::serial_loop::of(context), weft::server_stores{store}, {research}};
 *      server.listen(weft::listen_address{"127.0.0.1:8123"});
 *      weft::async_start(server.loop(), server.run(), rethrow);
 *      context.run();
 *
 *  A run belongs to no connection: it goes on when its client goes away, and any client may join it. Runs of threads
 *  are kept in the store, and go on after a crash; runs without a thread are not kept.
 *
 *  A program with an `http_server` of its own calls `handle` for the paths that are the server's.
 *
 *  @par Errors          From the constructor `errc::invalid_configuration`: no graph, two of one name, or options out
 *                       of range, those of `auth_options` among them.
 *  @par Cancellation    A stop of `run` ends it at once, as a crash would; `drain` ends it in order.
 *  @par Thread safety   None: it belongs to its loop. The constructor and `listen` may run before the loop does.
 *  @par Lifetimes       Loop and stores outlive it, and it the task of `run`.
 *  @par Source          LangGraph's Agent Server, as its clients call it.
 *  @par Example         samples/25_serve_a_graph.cpp [serve]
 */
class server {
public:
    server(serial_loop& loop, server_stores stores, std::vector<served_graph> graphs,
           server_options options = server_options{});
    ~server();
    server(const server&) = delete;
    server& operator=(const server&) = delete;

    /** Begins to listen; see `http_server::listen`. A server without a caller listens nowhere: it is `handle`d.
     *  @par Errors   Also `errc::invalid_configuration`: other machines reach the address, and `auth_options` neither
     *                asks who calls nor lets anybody in. */
    listen_address listen(const listen_address& at);
    /** The same with TLS. */
    listen_address listen(const listen_address& at, tls_server_options tls);
    /** For tests and simulations: takes connections from `source` as well; see `testing::virtual_network`. */
    void listen_on(std::shared_ptr<net_detail::acceptor> source);
    /** New certificates for connections that come from now on; see `http_server::reload_tls`. */
    void reload_tls();

    /** Takes other graphs and entries in the place of all that it has, while `run` is under way. What begins from now
     *  on has the new ones; a run under way ends with the graph that it began with. A thread that waits goes on with
     *  the new graph if it can, else with the old one: the last eight of each name are kept for that, in this process.
     *
     *      for (const weft::waiting_threads& each : co_await server.replace_graphs(std::move(graphs)))
     *          log(each.text());
     *
     *  @return       What the threads can do that wait in graphs of another shape, or in graphs that are gone.
     *  @par Errors   `errc::invalid_configuration` as from the constructor: nothing has changed then. Those of the
     *                stores: the graphs are the new ones, and their timers and assistants come with the next call.
     *  @par Cancellation   As an error of the stores. */
    [[nodiscard]] task<std::vector<waiting_threads>> replace_graphs(std::vector<served_graph> graphs,
                                                                    std::vector<served_entry> entries = {});

    /** Takes other rules for who may call, from the next request on: ways to authenticate, the keys of tokens, limits,
     *  the time that the audit log lasts. What is open ends if its way is gone. A server that asks who calls goes on to
     *  ask, and one that does not goes on not to.
     *  @par Errors   `errc::invalid_configuration`: nothing has changed then. */
    void replace_auth(auth_options auth);

    /** Serves until `drain` is done: enters the store as a worker, takes over runs that others left, answers clients.
     *  Once.
     *  @par Errors   Those of `durable_engine::open`. */
    [[nodiscard]] task<void> run();

    /** Answers one request; while `run` is under way. */
    [[nodiscard]] task<void> handle(http_call& call);

    /** Serves its graphs as tools to one client of the Model Context Protocol over standard input and output, until the
     *  client closes the input; while `run` is under way. Nothing else may write to standard output.
     *  @par Errors   `errc::invalid_configuration`  the streams cannot be read or written. */
    [[nodiscard]] task<void> serve_mcp_stdio();

    /** Takes no further request, lets each run come to the end of its node and gives it back to the store, ends streams
     *  so that their clients join elsewhere. `run` returns then. */
    void drain();

    [[nodiscard]] serial_loop& loop() const noexcept;
    /** As `durable_engine::takes_runs`, of the server's own loop: what `/readyz` says. */
    [[nodiscard]] bool takes_runs() const noexcept;
    /** How many runs of threads the server's own loop has. */
    [[nodiscard]] std::size_t runs() const noexcept;
    /** Of the server's own loop. */
    [[nodiscard]] http_server_counts counts() const noexcept;

private:
    listen_address listen_everywhere(const listen_address& at, const std::optional<tls_server_options>& tls);

    std::unique_ptr<serve_detail::server_state> state_;
    std::unique_ptr<serve_detail::server_loops> others_;  // null: there is one loop
};

}  // namespace weft
