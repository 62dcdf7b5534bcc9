#include "harness/bench.hpp"

#ifdef WEFT_HAS_POSTGRES

#include "harness/cpu_clock.hpp"
#include "lasting_server.hpp"
#include "store/postgres_server.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/net/http_client.hpp>
#include <weft/serve/server.hpp>
#include <weft/store/postgres_store.hpp>

#include <libpq-fe.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace weft_bench {

namespace {

using namespace std::chrono_literals;

constexpr auto pieces_apart = 60ms;  // each is written alone, after it has waited for others

/** What the node of a worker notes for the bench. */
struct noted_node {
    std::atomic<double> begun_at{0};
    std::atomic<double> stopped_at{0};
    int pieces = 0;  ///< 0: it stays until it is stopped.
};

weft::task<void> say_the_time(weft::node_context& at, std::shared_ptr<noted_node> notes)
{
    notes->begun_at = wall_ms();
    for (int i = 0; i < notes->pieces; ++i) {
        at.emit("output", "<" + std::to_string(wall_ms()) + ">");
        co_await weft::sleep_for(pieces_apart);
    }
    if (notes->pieces != 0) co_return;
    try {
        co_await weft::sleep_for(1h);  // as a node that waits for its model
    } catch (const weft::error&) {
        notes->stopped_at = wall_ms();
        throw;
    }
}

weft::graph timed_graph(std::shared_ptr<noted_node> notes)
{
    const auto body = [notes](weft::node_context& at) { return say_the_time(at, notes); };
    return weft::graph_builder{"timed"}.node("say", body).edge(weft::start, "say").build();
}

/** A worker with a store of its own, as another process is. */
class lone_worker {
public:
    lone_worker(const weft::postgres_options& options, std::shared_ptr<noted_node> notes)
        : store_{weft::run_blocking(weft::postgres_store::open(options))},
          thread_{[this, notes](std::stop_token stop) { weft::run_blocking(work(*this, notes), std::move(stop)); }}
    {
        while (!is_open_ || !store_->news()->is_complete()) std::this_thread::sleep_for(5ms);
    }
    ~lone_worker() { thread_.request_stop(); }
    lone_worker(const lone_worker&) = delete;
    lone_worker& operator=(const lone_worker&) = delete;

private:
    static weft::task<void> work(lone_worker& self, std::shared_ptr<noted_node> notes)
    {
        auto graphs = std::make_shared<weft::durable_graphs>();
        graphs->add(timed_graph(std::move(notes)));
        weft::durable_options how;
        how.event_log = &self.store_->service().run_events();
        weft::durable_engine engine{*self.store_, graphs, how};
        co_await engine.open();
        self.is_open_ = true;
        try {
            co_await engine.work();
        } catch (const weft::error&) {
            // It was stopped.
        }
    }

    std::unique_ptr<weft::postgres_store> store_;
    std::atomic<bool> is_open_{false};
    std::jthread thread_;
};

/** A server for clients, with a store of its own; once it is drained, it lasts as long as its process. */
class lone_server {
public:
    explicit lone_server(const weft::postgres_options& options)
        : store_{weft::run_blocking(weft::postgres_store::open(options)).release()},
          server_{new lasting_server{weft::server_stores{*store_}, {timed_graph(std::make_shared<noted_node>())},
                                     without_places()}}
    {
    }
    ~lone_server() { server_->drain(); }
    lone_server(const lone_server&) = delete;
    lone_server& operator=(const lone_server&) = delete;

    [[nodiscard]] std::string address() const { return "http://127.0.0.1:" + std::to_string(server_->port()); }

private:
    static weft::server_options without_places()
    {
        weft::server_options options;
        options.runs.performed_max = 0;
        return options;
    }

    weft::postgres_store* store_;
    lasting_server* server_;
};

/** A run that the worker has begun. @return  Its path at the server. */
std::string begin_at_worker(weft::postgres_store& store, const noted_node& notes, const std::string& thread)
{
    weft::random_source random{static_cast<std::uint64_t>(wall_ms() * 1'000)};
    weft::id_source ids{weft::real_clock(), random};
    weft::new_run run{weft::thread_key{thread}, ids.next<weft::run_id>()};
    run.graph_named("timed");
    const std::string path = "/threads/" + thread + "/runs/" + run.id.text();
    const double before = wall_ms();
    static_cast<void>(weft::run_blocking(store.enqueue(std::move(run))));
    while (notes.begun_at < before) std::this_thread::sleep_for(100us);
    return path;
}

weft::task<void> read_lags(std::string url, std::vector<double>& lags)
{
    weft::http_client client;
    weft::http_request request{"GET", weft::url{std::move(url)}};
    weft::http_response response = co_await client.send(std::move(request));
    std::string text;
    for (;;) {
        const std::string_view bytes = co_await response.read_some();
        const double now = wall_ms();
        if (bytes.empty()) co_return;
        text.append(bytes);
        for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<')) {
            const std::size_t end = text.find('>', at);
            if (end == text.npos) break;
            lags.push_back(now - std::stod(text.substr(at + 1, end - at - 1)));
            text.erase(0, end);
        }
    }
}

double quantile_of(std::vector<double> values, double share)
{
    require(!values.empty(), "nothing was measured");
    std::sort(values.begin(), values.end());
    return values.at(static_cast<std::size_t>(share * static_cast<double>(values.size() - 1)));
}

/** From a piece of text in the node to a client of another process, without the time that the piece waits for others
 *  to be written with it. */
std::vector<double> follow_lags(const weft_tests::postgres_server& server, int count)
{
    const weft::postgres_options options{server.connection()};
    const auto store = weft::run_blocking(weft::postgres_store::open(options));
    const auto notes = std::make_shared<noted_node>();
    notes->pieces = 100;
    const lone_worker worker{options, notes};
    const lone_server clients{options};
    std::vector<double> lags;
    for (int i = 0; static_cast<int>(lags.size()) < count; ++i) {
        const std::string path = begin_at_worker(*store, *notes, "f" + std::to_string(i));
        std::vector<double> of_run;
        weft::run_blocking(read_lags(clients.address() + path + "/stream?stream_mode=messages-tuple", of_run));
        // The first ones were there before the client was.
        for (std::size_t at = std::min<std::size_t>(of_run.size(), 5); at < of_run.size(); ++at)
            lags.push_back(of_run[at] - static_cast<double>(weft::event_streaming{}.every.count()));
    }
    return lags;
}

weft::task<void> post_cancel(std::string url)
{
    weft::http_client client;
    weft::http_request request{"POST", weft::url{std::move(url)}};
    weft::http_response response = co_await client.send(std::move(request));
    require(response.status() == 202, "a cancel was refused");
}

/** From the request of a client at one process to the stop of the node in another one. */
std::vector<double> cancel_times(const weft_tests::postgres_server& server, int count)
{
    const weft::postgres_options options{server.connection()};
    const auto store = weft::run_blocking(weft::postgres_store::open(options));
    const auto notes = std::make_shared<noted_node>();
    const lone_worker worker{options, notes};
    const lone_server clients{options};
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
        const std::string path = begin_at_worker(*store, *notes, "c" + std::to_string(i));
        notes->stopped_at = 0;
        const double before = wall_ms();
        weft::run_blocking(post_cancel(clients.address() + path + "/cancel"));
        while (notes->stopped_at == 0) std::this_thread::sleep_for(100us);
        times.push_back(notes->stopped_at - before);
    }
    return times;
}

struct connection_end {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
};
using libpq_connection = std::unique_ptr<PGconn, connection_end>;

void do_by_hand(PGconn* on, const char* text)
{
    PGresult* const done = PQexec(on, text);
    const ExecStatusType status = PQresultStatus(done);
    PQclear(done);
    require(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK, "a statement failed");
}

/** A row in, a NOTIFY in a transaction of its own, or in that of the row, and the row out by the one that listens. */
double times_of_hand(const weft_tests::postgres_server& server, int count, double share)
{
    const libpq_connection from{PQconnectdb(server.connection().c_str())};
    const libpq_connection to{PQconnectdb(server.connection().c_str())};
    do_by_hand(from.get(), "DROP TABLE IF EXISTS by_hand; CREATE TABLE by_hand (no serial, data text)");
    do_by_hand(to.get(), "LISTEN by_hand");
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
        const double before = wall_ms();
        do_by_hand(from.get(), "INSERT INTO by_hand (data) VALUES ('x')");
        do_by_hand(from.get(), "NOTIFY by_hand");
        for (bool is_heard = false; !is_heard;) {
            require(PQconsumeInput(to.get()) == 1, "the connection is lost");
            PGnotify* const heard = PQnotifies(to.get());
            is_heard = heard != nullptr;
            PQfreemem(heard);
            if (!is_heard) std::this_thread::sleep_for(20us);
        }
        do_by_hand(to.get(), "SELECT data FROM by_hand ORDER BY no DESC LIMIT 1");
        times.push_back(wall_ms() - before);
        std::this_thread::sleep_for(5ms);
    }
    return quantile_of(std::move(times), share);
}

measurement measure_follow(double share)
{
    weft_tests::postgres_server::options synced;
    synced.is_synced = true;
    const weft_tests::postgres_server server{synced};
    const int count = amount(500, 20);
    return take_turns(
        1, [&] { return quantile_of(follow_lags(server, count), share); },
        [&] { return times_of_hand(server, count, share); });
}

measurement measure_cancel(double share)
{
    weft_tests::postgres_server::options synced;
    synced.is_synced = true;
    const weft_tests::postgres_server server{synced};
    const int count = amount(200, 3);
    return take_turns(
        1, [&] { return quantile_of(cancel_times(server, count), share); },
        [&] { return times_of_hand(server, count, share); });
}

constexpr int batch_of_log = 50;

/** A run that appends to its log, batch after batch. */
weft::task<void> append_batches(weft::postgres_store& store, weft::worker_id worker, int number, int batches)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    weft::id_source ids{loop.clock(), loop.random()};
    weft::new_run run{weft::thread_key{"log-" + std::to_string(number)}, ids.next<weft::run_id>()};
    run.started_by(worker);
    const weft::run_admission admission = co_await store.enqueue(std::move(run));
    require(admission.claim.has_value(), "no claim");
    weft::event_log_limits limits;
    for (int i = 0; i < batches; ++i) {
        std::vector<weft::event_draft> events(batch_of_log, weft::event_draft{"output", std::string(150, 'x')});
        static_cast<void>(
            co_await store.service().run_events().append(admission.claim->fence, std::move(events), limits));
    }
}

weft::task<void> append_side_by_side(weft::postgres_store& store, int runs, int batches)
{
    const weft::worker_id worker = co_await store.enter(weft::worker_entry{"log", 10min});
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    static int numbers = 0;
    for (int i = 0; i < runs; ++i) children.spawn(append_batches(store, worker, ++numbers, batches));
    co_await children.join();
}

/** Events a second of many runs at once, and of one INSERT of as many rows for each batch by hand. */
measurement measure_log()
{
    const weft_tests::postgres_server server{};
    const auto store = weft::run_blocking(weft::postgres_store::open(weft::postgres_options{server.connection()}));
    const int runs = 16;
    const int batches = amount(100, 2);
    const libpq_connection hand{PQconnectdb(server.connection().c_str())};
    do_by_hand(hand.get(), "CREATE TABLE log_by_hand (run int8, id int8, at timestamptz DEFAULT now(), kind text,"
                           " data bytea, PRIMARY KEY (run, id))");
    const double events = 1.0 * runs * batches * batch_of_log;
    int number = 0;
    return take_turns(
        3,
        [&] {
            const double before = wall_ms();
            weft::run_blocking(append_side_by_side(*store, runs, batches));
            return events * 1'000 / (wall_ms() - before);
        },
        [&] {
            const double before = wall_ms();
            for (int i = 0; i < runs * batches; ++i) {
                const std::string text = "INSERT INTO log_by_hand (run, id, kind, data) SELECT 1, " +
                                         std::to_string(batch_of_log * number++) +
                                         " + x, 'output', decode(repeat('78', 150), 'hex') FROM generate_series(1, " +
                                         std::to_string(batch_of_log) + ") x";
                do_by_hand(hand.get(), text.c_str());
            }
            return events * 1'000 / (wall_ms() - before);
        });
}

}  // namespace

benchmarks follow_benchmarks()
{
    const std::string lag = "from a piece of text in a node of a worker to a client of a server with a store of its "
                            "own on one PostgreSQL, beyond the 50 ms that it waits for others; floor: INSERT, NOTIFY, "
                            "SELECT by hand; ";
    const std::string cancel = "from the request at a server to the stop of the node of a worker on a store of its "
                               "own; floor: INSERT, NOTIFY, SELECT by hand; ";
    const std::string log = "events into the log of PostgreSQL, 16 runs side by side, batches of 50; floor: one "
                            "INSERT for each batch by hand, one after the other";
    return {{"follow_lag_p50", "ms", lag + "median", "", [] { return measure_follow(0.5); }},
            {"follow_lag", "ms", lag + "99 of 100", "<= 20", [] { return measure_follow(0.99); }},
            {"remote_cancel_p50", "ms", cancel + "median", "", [] { return measure_cancel(0.5); }},
            {"remote_cancel", "ms", cancel + "99 of 100", "<= 50", [] { return measure_cancel(0.99); }},
            {"event_log", "1/s", log, "", [] { return measure_log(); }}};
}

}  // namespace weft_bench

#else

namespace weft_bench {

benchmarks follow_benchmarks() { return {}; }

}  // namespace weft_bench

#endif
