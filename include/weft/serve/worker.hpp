#pragma once

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/task.hpp>
#include <weft/engine/durable_options.hpp>
#include <weft/net/options/listen_address.hpp>
#include <weft/serve/served_entry.hpp>
#include <weft/serve/server_options.hpp>
#include <weft/serve/waiting_threads.hpp>
#include <weft/serve/webhook_options.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace weft {

class http_server;
class runtime;
class server;
class service_store;
class telemetry;

/** What a worker takes, and how it runs graphs. The one place of these defaults. */
struct worker_options {
    worker_options() {}

    std::size_t concurrency = 100;  ///< Runs at once; those that wait for an answer take no place.
    /** Of `performed_max` and `runs_max` the worker has its own: `concurrency`. Without a `drain_for` a drain gives the
     *  nodes a tenth of a second. */
    durable_options runs{};
    /** Gives signs of life from an OS thread of its own, so that a node that computes for long costs no run; see
     *  `durable_options::heartbeats_on`. */
    bool heartbeats_apart = true;
    webhook_options webhooks{};            ///< Of runs that end.
    std::vector<served_entry> entries{};   ///< Timers; see `served_entry`.
    /** As `server_options::more_loops`. */
    runtime* more_loops = nullptr;
    /** As `server_options::telemetry`; `listen_for_health` answers `GET /metrics` then. */
    std::shared_ptr<weft::telemetry> telemetry{};
    /** Told what went wrong, and where. On a loop; must not block. */
    std::function<void(std::string_view where, std::string_view what)> on_error{};
};

/** Performs the runs that servers, and other programs, enter into a store; it serves no clients itself.
 *
 *      weft::worker worker{weft::serial_loop::of(context), weft::server_stores{*store}, {research}};
 *      weft::async_start(worker.loop(), worker.run(), rethrow);
 *      context.run();
 *
 *  Any number of workers, on any number of machines, share the runs of a `postgres_store`; servers beside them
 *  (`weft::server`) perform runs as well, or none with `durable_options::performed_max` 0. A worker also begins the
 *  runs of crons and delivers webhooks, each once in all processes. What one leaves, because it ends or dies, others
 *  go on with.
 *
 *  @par Errors          From the constructor as from that of `server`; `errc::invalid_configuration` for a concurrency
 *                       of 0.
 *  @par Cancellation    A stop of `run` ends it at once, as a crash would; `drain` ends it in order.
 *  @par Thread safety   None: it belongs to its loop. The constructor and `listen_for_health` may run before that does.
 *  @par Lifetimes       Loop and stores outlive it, and it the task of `run`.
 *  @par Example         samples/28_worker.cpp [worker]
 */
class worker {
public:
    worker(serial_loop& loop, server_stores stores, std::vector<served_graph> graphs,
           worker_options options = worker_options{});
    ~worker();
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;

    /** Answers `GET /readyz` with 200 while `is_ready`, else 503, and `GET /livez` with 200, for programs that watch
     *  processes. With telemetry it answers `GET /metrics` as well. Nothing else is there, and nothing asks
     *  who calls.
     *  @return      The address with the port that the system chose.
     *  @par Errors  As `http_server::listen`. */
    listen_address listen_for_health(const listen_address& at);

    /** Takes runs until `drain` is done. Once.
     *  @par Errors   Those of `durable_engine::open`. */
    [[nodiscard]] task<void> run();
    /** Takes no further run, gives those that it has back to the store, and leaves. `run` returns then. */
    void drain();
    /** As `server::replace_graphs`. */
    [[nodiscard]] task<std::vector<waiting_threads>> replace_graphs(std::vector<served_graph> graphs,
                                                                    std::vector<served_entry> entries = {});

    /** Whether its looks for work are answered: see `durable_engine::takes_runs`. Of its own loop. */
    [[nodiscard]] bool is_ready() const noexcept;
    /** How many runs it has on its own loop. */
    [[nodiscard]] std::size_t runs() const noexcept;
    [[nodiscard]] serial_loop& loop() const noexcept;

private:
    std::shared_ptr<telemetry> telemetry_;  // null: there is none
    service_store* service_;
    std::unique_ptr<runtime> heart_;  // null: heartbeats are sent from the loops of the runs
    std::unique_ptr<server> server_;  // that listens nowhere
    std::unique_ptr<http_server> health_;  // null: nothing asks
};

}  // namespace weft
