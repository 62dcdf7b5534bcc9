#include "harness/bench.hpp"

#ifdef WEFT_HAS_POSTGRES

#include "durable_load.hpp"
#include "harness/cpu_clock.hpp"
#include "store/postgres_server.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/store/postgres_store.hpp>

#include <libpq-fe.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace weft_bench {

namespace {

using namespace std::chrono_literals;

struct closer {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
};
using connection_handle = std::unique_ptr<PGconn, closer>;

connection_handle connect(const weft_tests::postgres_server& server)
{
    connection_handle made{PQconnectdb(server.connection().c_str())};
    require(PQstatus(made.get()) == CONNECTION_OK, "no connection");
    return made;
}

void do_statement(PGconn* on, const char* text)
{
    PGresult* const done = PQexec(on, text);
    const ExecStatusType status = PQresultStatus(done);
    PQclear(done);
    require(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK, "a statement failed");
}

/** A worker on a store of its own, as another process is, which notes when a run begins. */
class waiting_worker {
public:
    explicit waiting_worker(const weft::postgres_options& options)
        : store_{weft::run_blocking(weft::postgres_store::open(options))}, thread_{[this](std::stop_token stop) {
              weft::run_blocking(work(*this), std::move(stop));
          }}
    {
        while (!is_open_ || !store_->news()->is_complete()) std::this_thread::sleep_for(5ms);
    }
    ~waiting_worker() { thread_.request_stop(); }
    waiting_worker(const waiting_worker&) = delete;
    waiting_worker& operator=(const waiting_worker&) = delete;

    /** Forgets the last beginning. */
    void forget() { began_ = 0; }
    /** Waits for the beginning of a run. */
    [[nodiscard]] double began()
    {
        while (began_ == 0) std::this_thread::sleep_for(100us);
        return began_;
    }

private:
    static weft::task<void> work(waiting_worker& self)
    {
        weft::graph_builder builder{"noted"};
        builder.node("note", [&self] { self.began_ = wall_ms(); }).edge(weft::start, "note");
        auto graphs = std::make_shared<weft::durable_graphs>();
        graphs->add(builder.edge("note", weft::end).build());
        weft::durable_engine engine{*self.store_, graphs};
        co_await engine.open();
        self.is_open_ = true;
        try {
            co_await engine.work();
        } catch (const weft::error&) {
            // It was stopped.
        }
    }

    std::unique_ptr<weft::postgres_store> store_;
    std::atomic<double> began_{0};
    std::atomic<bool> is_open_{false};
    std::jthread thread_;
};

weft::task<void> enter_noted(weft::checkpoint_store& store, std::string thread)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    weft::id_source ids{loop.clock(), loop.random()};
    weft::new_run run{weft::thread_key{std::move(thread)}, ids.next<weft::run_id>()};
    run.graph_named("noted");
    static_cast<void>(co_await store.enqueue(std::move(run)));
}

double at_quantile(std::vector<double> values, double share)
{
    std::sort(values.begin(), values.end());
    return values.at(static_cast<std::size_t>(share * static_cast<double>(values.size() - 1)));
}

/** From the call that enters a run to the moment when a worker on another store begins it. */
std::vector<double> wake_up_times(const weft_tests::postgres_server& server, int count)
{
    const weft::postgres_options options{server.connection()};
    const auto store = weft::run_blocking(weft::postgres_store::open(options));
    waiting_worker worker{options};
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
        worker.forget();
        const double before = wall_ms();
        weft::run_blocking(enter_noted(*store, "t" + std::to_string(i)));
        times.push_back(worker.began() - before);
        std::this_thread::sleep_for(7ms);  // until the worker is idle again
    }
    return times;
}

/** The same by hand: an insert, a NOTIFY, and a listener that takes the row. */
std::vector<double> times_by_hand(const weft_tests::postgres_server& server, int count)
{
    const connection_handle from = connect(server);
    const connection_handle to = connect(server);
    do_statement(from.get(), "DROP TABLE IF EXISTS by_hand; CREATE TABLE by_hand (no serial, taken bool)");
    do_statement(to.get(), "LISTEN by_hand");
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
        const double before = wall_ms();
        do_statement(from.get(), "INSERT INTO by_hand (taken) VALUES (false)");
        do_statement(from.get(), "NOTIFY by_hand");
        for (bool is_heard = false; !is_heard;) {
            require(PQconsumeInput(to.get()) == 1, "the connection is lost");
            PGnotify* const heard = PQnotifies(to.get());
            is_heard = heard != nullptr;
            PQfreemem(heard);
            if (!is_heard) std::this_thread::sleep_for(20us);
        }
        do_statement(to.get(), "UPDATE by_hand SET taken = true WHERE NOT taken");
        times.push_back(wall_ms() - before);
    }
    return times;
}

measurement measure_wake_up(double share)
{
    weft_tests::postgres_server::options synced;
    synced.is_synced = true;
    const weft_tests::postgres_server server{synced};
    const int count = amount(1'000, 5);
    return take_turns(
        1, [&] { return at_quantile(wake_up_times(server, count), share); },
        [&] { return at_quantile(times_by_hand(server, count), share); });
}

/** Statements a second of a worker with nothing to do, as the server counts them in transactions. */
measurement measure_idle()
{
    const weft_tests::postgres_server server{};
    const weft::postgres_options options{server.connection()};
    const auto transactions = [&] {
        static_cast<void>(server.query("SELECT pg_sleep(1.1), pg_stat_clear_snapshot()"));
        return std::stod(server.query("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"));
    };
    const double seconds = amount(30.0, 2.0);
    const auto count = [&] {
        const double before = transactions();
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
        return (transactions() - before) / seconds;
    };
    const double floor = count();  // what the server does by itself, and what counting does
    waiting_worker worker{options};
    std::this_thread::sleep_for(1s);
    measurement result;
    result.weft = count();
    result.floor = floor;
    return result;
}

}  // namespace

benchmarks wake_up_benchmarks()
{
    const std::string what = "from entering a run in one store of PostgreSQL to its first node by a worker on another "
                             "one; floor: INSERT, NOTIFY, UPDATE by hand; ";
    return {{"wake_up_p50", "ms", what + "median", "<= 3", [] { return measure_wake_up(0.5); }},
            {"wake_up_p99", "ms", what + "99 of 100", "<= 20", [] { return measure_wake_up(0.99); }},
            {"idle_worker", "1/s", "transactions of a worker that has nothing to do; floor: without it", "",
             [] { return measure_idle(); }}};
}

}  // namespace weft_bench

#else

namespace weft_bench {

benchmarks wake_up_benchmarks() { return {}; }

}  // namespace weft_bench

#endif
