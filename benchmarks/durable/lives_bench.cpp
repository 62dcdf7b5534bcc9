#include "harness/bench.hpp"

#ifdef WEFT_HAS_POSTGRES

#include "harness/cpu_clock.hpp"
#include "store/postgres_server.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/base/error.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/store/postgres_store.hpp>
#include <weft/store/service/queue_rules.hpp>

#include <libpq-fe.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace weft_bench {

namespace {

using namespace std::chrono_literals;

constexpr int workers_of_lives = 2;
constexpr int checkpoints_of_life = 3;
constexpr int lives_at_once = 64;  // of each worker, as calls share a transaction

inline constexpr weft::state_key<std::string> text_of_life{"text"};

weft::graph graph_of_lives(std::atomic<int>* last_nodes)
{
    const auto say = [](weft::node_context& at) { at.set(text_of_life, std::string{"some text of a life"}); };
    const auto say_last = [last_nodes](weft::node_context& at) {
        at.set(text_of_life, std::string{"the last text"});
        ++*last_nodes;
    };
    return weft::graph_builder{"life"}
        .state(text_of_life)
        .node("one", say)
        .node("two", say)
        .node("three", say_last)
        .chain({weft::start, "one", "two", "three", weft::end})
        .build();
}

/** A worker with a store and an OS thread of its own, as another process has. */
class worker_of_lives {
public:
    worker_of_lives(const weft::postgres_options& options, std::atomic<int>& last_nodes)
        : store_{weft::run_blocking(weft::postgres_store::open(options))},
          thread_{[this, &last_nodes](std::stop_token stop) {
              weft::run_blocking(work(*this, last_nodes), std::move(stop));
          }}
    {
        while (!is_open_ || !store_->news()->is_complete()) std::this_thread::sleep_for(5ms);
    }
    ~worker_of_lives() { thread_.request_stop(); }
    worker_of_lives(const worker_of_lives&) = delete;
    worker_of_lives& operator=(const worker_of_lives&) = delete;

private:
    static weft::task<void> work(worker_of_lives& self, std::atomic<int>& last_nodes)
    {
        auto graphs = std::make_shared<weft::durable_graphs>();
        graphs->add(graph_of_lives(&last_nodes));
        weft::durable_options how;
        how.runs_max = lives_at_once;
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

/** Lives that are entered at once: of one owner, or each lane of them of a tenant. */
struct crowd_of_lives {
    int round = 0;
    int count = 0;
    bool has_tenants = false;
};

weft::task<void> enter_lives(weft::postgres_store& store, crowd_of_lives crowd, int lane)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    weft::id_source ids{loop.clock(), loop.random()};
    const std::string stem = std::to_string(crowd.round) + "-" + std::to_string(lane) + "-";
    const std::string tenant = crowd.has_tenants ? "tenant " + std::to_string(lane) : "";
    for (int i = 0; i < crowd.count / lives_at_once; ++i) {
        weft::new_run run{weft::thread_key{stem + std::to_string(i), tenant}, ids.next<weft::run_id>()};
        run.graph_named("life");
        static_cast<void>(co_await store.enqueue(std::move(run)));
    }
}

weft::task<void> enter_side_by_side(weft::postgres_store& store, crowd_of_lives crowd)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    for (int lane = 0; lane < lives_at_once; ++lane) children.spawn(enter_lives(store, crowd, lane));
    co_await children.join();
}

/** Lives a second, from the first entry to the last end. */
double lives_of_weft(const weft_tests::postgres_server& server, crowd_of_lives crowd)
{
    const weft::postgres_options options{server.connection()};
    const auto store = weft::run_blocking(weft::postgres_store::open(options));
    std::atomic<int> last_nodes{0};
    std::vector<std::unique_ptr<worker_of_lives>> workers;
    for (int i = 0; i < workers_of_lives; ++i)
        workers.push_back(std::make_unique<worker_of_lives>(options, last_nodes));
    const double before = wall_ms();
    weft::run_blocking(enter_side_by_side(*store, crowd));
    while (last_nodes < crowd.count) std::this_thread::sleep_for(1ms);
    while (server.query("SELECT count(*) FROM weft.run WHERE phase + 0 < 4") != "0") std::this_thread::sleep_for(1ms);
    return crowd.count * 1'000.0 / (wall_ms() - before);
}

struct lives_closer {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
};

/** The statements of a life, and nothing around it: no fence is looked up again, nobody is woken. */
class lives_by_hand {
public:
    static constexpr const char* tables =
        "DROP TABLE IF EXISTS hand_run, hand_checkpoint;"
        "CREATE TABLE hand_run (no bigserial PRIMARY KEY, phase int2 NOT NULL, head int8 NOT NULL DEFAULT 0,"
        " worker int8) WITH (fillfactor = 70); CREATE INDEX hand_ready ON hand_run (no) WHERE phase = 1;"
        "CREATE TABLE hand_checkpoint (run int8, seq int8, at timestamptz DEFAULT now(), body bytea,"
        " PRIMARY KEY (run, seq))";
    static constexpr const char* statements[][2] = {
        {"enter", "INSERT INTO hand_run (phase) VALUES (1)"},
        {"claim", "UPDATE hand_run SET phase = 2, worker = 1 WHERE no IN (SELECT no FROM hand_run WHERE phase = 1"
                  " ORDER BY no LIMIT 64 FOR UPDATE SKIP LOCKED) RETURNING no"},
        {"checkpoint", "WITH f AS (UPDATE hand_run SET head = head + 1 WHERE no = $1::int8 AND phase = 2"
                       " RETURNING no, head) INSERT INTO hand_checkpoint (run, seq, body)"
                       " SELECT no, head, decode(repeat('78', 120), 'hex') FROM f"},
        {"finish", "UPDATE hand_run SET phase = 4, worker = NULL WHERE no = $1::int8 AND phase = 2"}};

    explicit lives_by_hand(const weft_tests::postgres_server& server)
        : connection_{PQconnectdb(server.connection().c_str())}
    {
        require(PQstatus(connection_.get()) == CONNECTION_OK, "no connection");
        for (const auto& [name, text] : statements)
            PQclear(PQprepare(connection_.get(), name, text, 0, nullptr));
        require(PQenterPipelineMode(connection_.get()) == 1, "no pipeline mode");
    }

    void enter(int count)
    {
        for (int i = 0; i < count; ++i) send("enter", nullptr);
        static_cast<void>(sync(count));
    }
    /** @return  How many lives it has led to their ends. */
    int lead()
    {
        send("claim", nullptr);
        const std::vector<std::string> taken = sync(1);
        const int count = static_cast<int>(taken.size());
        for (int step = 0; step < checkpoints_of_life; ++step) all("checkpoint", taken);
        all("finish", taken);
        return count;
    }

private:
    void all(const char* statement, const std::vector<std::string>& runs)
    {
        for (const std::string& each : runs) send(statement, each.c_str());
        static_cast<void>(sync(static_cast<int>(runs.size())));
    }
    void send(const char* statement, const char* run)
    {
        const int sent = PQsendQueryPrepared(connection_.get(), statement, run ? 1 : 0, run ? &run : nullptr, nullptr,
                                             nullptr, 0);
        require(sent == 1, PQerrorMessage(connection_.get()));
    }
    /** Ends a transaction. @return  The first columns of the rows. */
    std::vector<std::string> sync(int count)
    {
        std::vector<std::string> rows;
        require(PQpipelineSync(connection_.get()) == 1, "no synchronisation point");
        for (int i = 0; i < count; ++i) {
            const std::unique_ptr<PGresult, decltype(&PQclear)> result{PQgetResult(connection_.get()), &PQclear};
            require(PQresultErrorMessage(result.get())[0] == 0, PQresultErrorMessage(result.get()));
            for (int row = 0; row < PQntuples(result.get()); ++row) rows.emplace_back(PQgetvalue(result.get(), row, 0));
            require(PQgetResult(connection_.get()) == nullptr, "more results than statements");
        }
        PQclear(PQgetResult(connection_.get()));
        return rows;
    }

    std::unique_ptr<PGconn, lives_closer> connection_;
};

void make_tables_of_hand(const weft_tests::postgres_server& server)
{
    const std::unique_ptr<PGconn, lives_closer> by{PQconnectdb(server.connection().c_str())};
    const std::unique_ptr<PGresult, decltype(&PQclear)> done{PQexec(by.get(), lives_by_hand::tables), &PQclear};
    require(PQresultStatus(done.get()) == PGRES_COMMAND_OK, PQerrorMessage(by.get()));
}

/** The same with libpq, 64 lives in a transaction, two threads. */
double lives_of_hand(const weft_tests::postgres_server& server, int count)
{
    make_tables_of_hand(server);
    std::atomic<int> led{0};
    const double before = wall_ms();
    std::vector<std::jthread> workers;
    for (int i = 0; i < workers_of_lives; ++i)
        workers.emplace_back([&] {
            for (lives_by_hand hand{server}; led < count;) led += hand.lead();
        });
    lives_by_hand entry{server};
    for (int i = 0; i < count; i += lives_at_once) entry.enter(lives_at_once);
    workers.clear();
    return count * 1'000.0 / (wall_ms() - before);
}

/**
 * The same by `pgbench`: each statement a transaction of its own, 16 clients on two threads. A client may find its own
 * run taken and those of the others locked: 32 more runs are there from the beginning.
 */
double lives_of_pgbench(const weft_tests::postgres_server& server, int count)
{
    make_tables_of_hand(server);
    const auto program = weft_tests::postgres_server::programs().value() / "pgbench";
    require(std::filesystem::exists(program), "pgbench is not there");
    const auto folder = std::filesystem::temp_directory_path() / ("weft-lives-" + std::to_string(server.port()));
    std::filesystem::create_directories(folder);
    lives_by_hand{server}.enter(32);
    std::ofstream{folder / "life"}
        << "INSERT INTO hand_run (phase) VALUES (1);\n"
           "UPDATE hand_run SET phase = 2, worker = 1 WHERE no = (SELECT no FROM hand_run WHERE phase = 1"
           " ORDER BY no LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING no \\gset\n"
           "WITH f AS (UPDATE hand_run SET head = head + 1 WHERE no = :no RETURNING no, head) INSERT INTO"
           " hand_checkpoint (run, seq, body) SELECT no, head, decode(repeat('78', 120), 'hex') FROM f;\n"
           "WITH f AS (UPDATE hand_run SET head = head + 1 WHERE no = :no RETURNING no, head) INSERT INTO"
           " hand_checkpoint (run, seq, body) SELECT no, head, decode(repeat('78', 120), 'hex') FROM f;\n"
           "WITH f AS (UPDATE hand_run SET head = head + 1 WHERE no = :no RETURNING no, head) INSERT INTO"
           " hand_checkpoint (run, seq, body) SELECT no, head, decode(repeat('78', 120), 'hex') FROM f;\n"
           "UPDATE hand_run SET phase = 4, worker = NULL WHERE no = :no;\n";
    const std::string command = program.string() + " -n -M prepared -c 16 -j 2 -t " + std::to_string(count / 16) +
                                " -f " + (folder / "life").string() + " '" + server.connection() + "' > " +
                                (folder / "said").string() + " 2>&1";
    const bool is_done = std::system(command.c_str()) == 0;
    std::stringstream said;
    said << std::ifstream{folder / "said"}.rdbuf();
    std::filesystem::remove_all(folder);
    const std::string text = said.str();
    std::smatch found;
    require(is_done && std::regex_search(text, found, std::regex{"tps = ([0-9.]+)"}), text.c_str());
    return std::stod(found[1]);
}

measurement measure_lives(double (*floor)(const weft_tests::postgres_server&, int))
{
    weft_tests::postgres_server::options synced;
    synced.is_synced = true;
    const weft_tests::postgres_server server{synced};
    const int count = amount(2'560, 64);
    int round = 0;
    return take_turns(
        3, [&] { return lives_of_weft(server, {++round, count}); }, [&] { return floor(server, count); });
}

/** Limits that hold nothing back: what it costs to ask them. */
weft::task<void> set_limits(weft::postgres_store& store, bool are_there)
{
    weft::queue_rules rules{store.service().documents()};
    std::optional<weft::queue_limit> limit;
    if (are_there) limit.emplace().active_max = 100'000;
    co_await rules.set_limit(weft::limit_scope::tenant, "", limit);
    co_await rules.set_limit(weft::limit_scope::graph, "life", limit);
}

measurement measure_limited_lives()
{
    weft_tests::postgres_server::options synced;
    synced.is_synced = true;
    const weft_tests::postgres_server server{synced};
    const auto store = weft::run_blocking(weft::postgres_store::open(weft::postgres_options{server.connection()}));
    crowd_of_lives crowd{0, amount(2'560, 64), true};
    const auto lives = [&](bool are_limited) {
        weft::run_blocking(set_limits(*store, are_limited));
        ++crowd.round;
        return lives_of_weft(server, crowd);
    };
    return take_turns(3, [&] { return lives(true); }, [&] { return lives(false); });
}

}  // namespace

benchmarks lives_benchmarks()
{
    const std::string what = "runs of three nodes a second, each checkpoint on disk, from entering them in one store "
                             "of PostgreSQL to their ends by two workers on other ones; floor: ";
    return {{"durable_lives", "1/s", what + "the least statements by hand with libpq, 64 runs in a transaction",
             ">= 1000", [] { return measure_lives(lives_of_hand); }},
            {"durable_lives_pgbench", "1/s", what + "the same by pgbench, a transaction for each statement, 16 clients",
             ">= 1000", [] { return measure_lives(lives_of_pgbench); }},
            {"durable_lives_limited", "1/s",
             "the same with runs of 64 tenants, a limit of each tenant and one of the graph; floor: without limits",
             "ratio >= 0.9", measure_limited_lives}};
}

}  // namespace weft_bench

#else

namespace weft_bench {

benchmarks lives_benchmarks() { return {}; }

}  // namespace weft_bench

#endif
