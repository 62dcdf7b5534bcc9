#pragma once

#include "durable/process.hpp"
#include "durable_world.hpp"
#include "store/postgres_fixture.hpp"

#include <weft/async/async_start.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/use_task.hpp>
#include <weft/engine/runtime.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <functional>
#include <set>
#include <string>

#include <unistd.h>

namespace weft_tests {

inline constexpr unsigned fleet_seconds_max = 120;

inline weft::task<void> rest_for(std::chrono::milliseconds span) { co_await weft::sleep_for(span); }
inline void rest(std::chrono::milliseconds span) { weft::run_blocking(rest_for(span)); }

/** Does something in a process of its own, which dies with this one. */
inline pid_t in_process(const std::function<void()>& what)
{
    const pid_t process = ::fork();
    if (process != 0) return process;
    die_with_parent(fleet_seconds_max);
    int status = 0;
    try {
        what();
    } catch (...) {
        status = 70;
    }
    ::_exit(status);
}

using graph_function = std::function<std::shared_ptr<const weft::durable_graphs>()>;

/** Workers that are processes, on a schema of their own. The process of the test opens no store, so that it has one OS
 *  thread when it forks. */
struct fleet {
    explicit fleet(graph_function graphs) : graphs{std::move(graphs)}
    {
        where = options_on(shared_postgres_server(), schema);
        // Once, before processes come together.
        BOOST_TEST_REQUIRE(end_of(in_process([&] { (void)open_store(where); })) == 0);
    }
    ~fleet()
    {
        for (const pid_t each : processes) {
            ::kill(each, SIGCONT);
            ::kill(each, SIGKILL);
            (void)end_of(each);
        }
    }

    static weft::durable_options brief(const std::string& name)
    {
        weft::durable_options options;
        options.worker_name = name;
        options.lifetime = 2s;
        options.heartbeat_every = 400ms;
        options.attempts_max = 3;
        options.drain_for = 50ms;
        options.runs_max = 1'000;
        return options;
    }

    static weft::task<void> live(weft::postgres_options where, std::shared_ptr<const weft::durable_graphs> graphs,
                                 weft::durable_options options, boost::asio::signal_set& ending)
    {
        const std::unique_ptr<weft::postgres_store> store = co_await weft::postgres_store::open(std::move(where));
        weft::durable_engine engine{*store, std::move(graphs), std::move(options)};
        co_await engine.open();
        const weft::task_context& context = co_await weft::this_task::context();
        weft::scope working{context};
        working.spawn(engine.work());
        static_cast<void>(co_await ending.async_wait(weft::use_task_result));
        co_await engine.close();
        co_await working.join();
    }

    /** A worker that lives until SIGTERM. */
    pid_t start(const std::string& name) { return start(name, graphs); }
    pid_t start(const std::string& name, const graph_function& with)
    {
        const pid_t started = in_process([&] {
            weft::runtime heart{1};
            boost::asio::io_context context{1};
            boost::asio::signal_set ending{context, SIGTERM};
            weft::durable_options options = brief(name);
            options.names_graphs = names_graphs;
            options.heartbeats_on = &heart.loop(0);
            std::exception_ptr failure;
            weft::async_start(weft::serial_loop::of(context), live(where, with(), options, ending),
                              [&](std::exception_ptr thrown) { failure = std::move(thrown); });
            context.run();
            if (failure) std::rethrow_exception(failure);
        });
        processes.insert(started);
        wait_for("SELECT count(*) > 0 FROM " + schema + ".worker WHERE name = '" + name + "' AND until > now()");
        return started;
    }
    /** Waits for the end of a worker. */
    int join(pid_t process)
    {
        processes.erase(process);
        return end_of(process);
    }
    /** Enters runs in a process of its own. @param graph_of  The graph of each, whose thread is `t` and its number. */
    pid_t begin_to_enter(const std::function<std::string(int)>& graph_of, int first, int count) const
    {
        return in_process([&] {
            const std::unique_ptr<weft::postgres_store> store = open_store(where);
            const auto entering = [](weft::checkpoint_store& into, std::function<std::string(int)> of, int from,
                                     int to) -> weft::task<void> {
                weft::serial_loop& loop = co_await weft::this_task::loop();
                weft::id_source ids{loop.clock(), loop.random()};
                for (int i = from; i < to; ++i) {
                    weft::new_run run{weft::thread_key{"t" + std::to_string(i)}, ids.next<weft::run_id>()};
                    run.graph_named(of(i)).with_attempts_max(3);
                    static_cast<void>(co_await into.enqueue(std::move(run)));
                }
            };
            weft::run_blocking(entering(*store, graph_of, first, first + count));
        });
    }
    /** Enters runs of a graph into threads `first`, `first + 1`, … */
    void enter(const std::string& graph, int first, int count) const
    {
        BOOST_TEST_REQUIRE(end_of(begin_to_enter([&](int) { return graph; }, first, count)) == 0);
    }
    std::string ask(const std::string& statement) const { return shared_postgres_server().query(statement); }
    /** How many runs a phase has. */
    int count(int phase) const
    {
        return std::stoi(ask("SELECT count(*) FROM " + schema + ".run WHERE phase = " + std::to_string(phase)));
    }
    void wait_for(const std::string& statement) const
    {
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{60};
        while (ask(statement) != "t") {
            BOOST_TEST_REQUIRE((std::chrono::steady_clock::now() < give_up), statement);
            rest(2ms);
        }
    }
    /** Waits until so many runs have a phase. */
    void wait_for(int phase, int runs) const
    {
        wait_for("SELECT count(*) = " + std::to_string(runs) + " FROM " + schema +
                 ".run WHERE phase = " + std::to_string(phase));
    }

    graph_function graphs;
    bool names_graphs = false;  ///< As `durable_options`, of workers that start from now on.
    fresh_names fresh;
    const std::string schema = fresh.schema();
    weft::postgres_options where{""};
    std::set<pid_t> processes;
};

}  // namespace weft_tests
