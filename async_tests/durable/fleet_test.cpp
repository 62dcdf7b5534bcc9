#ifdef WEFT_HAS_POSTGRES

#include "durable_world.hpp"
#include "durable/process.hpp"
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

#include <sys/wait.h>
#include <unistd.h>

namespace fleet_test {

namespace ut = boost::unit_test;

using namespace weft_tests;

// Workers that are processes. The process of the test opens no store, so that it has one OS thread when it forks.
BOOST_AUTO_TEST_SUITE(fleet_test, *ut::precondition(has_postgres))

constexpr unsigned seconds_max = 120;

weft::task<void> rest_for(std::chrono::milliseconds span) { co_await weft::sleep_for(span); }
void rest(std::chrono::milliseconds span) { weft::run_blocking(rest_for(span)); }

/** Does something in a process of its own, which dies with this one. */
pid_t in_process(const std::function<void()>& what)
{
    const pid_t process = ::fork();
    if (process != 0) return process;
    die_with_parent(seconds_max);
    int status = 0;
    try {
        what();
    } catch (...) {
        status = 70;
    }
    ::_exit(status);
}

using graph_function = std::function<std::shared_ptr<const weft::durable_graphs>()>;

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
    pid_t start(const std::string& name)
    {
        const pid_t started = in_process([&] {
            weft::runtime heart{1};
            boost::asio::io_context context{1};
            boost::asio::signal_set ending{context, SIGTERM};
            weft::durable_options options = brief(name);
            options.heartbeats_on = &heart.loop(0);
            std::exception_ptr failure;
            weft::async_start(weft::serial_loop::of(context), live(where, graphs(), options, ending),
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
    /** Enters runs of a graph into threads `first`, `first + 1`, … */
    void enter(const std::string& graph, int first, int count)
    {
        const auto enter_all = [&] {
            const std::unique_ptr<weft::postgres_store> store = open_store(where);
            const auto entering = [](weft::checkpoint_store& into, std::string of, int from,
                                     int to) -> weft::task<void> {
                weft::serial_loop& loop = co_await weft::this_task::loop();
                weft::id_source ids{loop.clock(), loop.random()};
                for (int i = from; i < to; ++i) {
                    weft::new_run run{weft::thread_key{"t" + std::to_string(i)}, ids.next<weft::run_id>()};
                    run.graph_named(of).with_attempts_max(3);
                    static_cast<void>(co_await into.enqueue(std::move(run)));
                }
            };
            weft::run_blocking(entering(*store, graph, first, first + count));
        };
        BOOST_TEST_REQUIRE(end_of(in_process(enter_all)) == 0);
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
    fresh_names fresh;
    const std::string schema = fresh.schema();
    weft::postgres_options where{""};
    std::set<pid_t> processes;
};

constexpr int running = 2;
constexpr int finished = 4;
constexpr int dead = 7;

/** A step, then one that lasts. */
std::shared_ptr<const weft::durable_graphs> long_graphs()
{
    auto begun = std::make_shared<begun_nodes>();
    weft::graph_builder builder{"long"};
    builder.state(value, other, total, words).node("a", counts(begun, 0ms)).node("b", counts(begun, 600s));
    return graphs_of(builder.edge(weft::start, "a").edge("a", "b").build());
}

BOOST_AUTO_TEST_CASE(a_worker_that_is_told_to_end_hands_its_runs_over_at_once_and_no_attempt_counts)
{
    constexpr int runs = 50;
    fleet all{long_graphs};
    const pid_t first = all.start("first");
    all.enter("long", 0, runs);
    all.wait_for(running, runs);
    all.wait_for("SELECT count(*) = " + std::to_string(runs) + " FROM " + all.schema + ".checkpoint");
    all.start("second");
    const auto before = std::chrono::steady_clock::now();
    ::kill(first, SIGTERM);
    all.wait_for("SELECT count(*) = " + std::to_string(runs) + " FROM " + all.schema + ".run r JOIN " + all.schema +
                 ".worker w ON w.id = r.worker WHERE r.phase = 2 AND w.name = 'second'");
    const auto took = std::chrono::steady_clock::now() - before;
    BOOST_TEST_MESSAGE("handed over in " << std::chrono::duration_cast<std::chrono::milliseconds>(took).count()
                                         << " ms");
    BOOST_TEST((took < 1s));  // far less than a lifetime, on a machine that does other things as well
    BOOST_TEST(all.join(first) == 0);
    BOOST_TEST(all.ask("SELECT max(attempt) FROM " + all.schema + ".run") == "1");
    BOOST_TEST(all.ask("SELECT count(*) FROM " + all.schema + ".checkpoint WHERE node = 'a'") == std::to_string(runs));
}

BOOST_AUTO_TEST_CASE(runs_of_a_killed_worker_go_on_elsewhere_soon_after_its_lifetime)
{
    constexpr int runs = 20;
    fleet all{long_graphs};
    const pid_t first = all.start("first");
    all.enter("long", 0, runs);
    all.wait_for(running, runs);
    all.wait_for("SELECT count(*) = " + std::to_string(runs) + " FROM " + all.schema + ".checkpoint");
    all.start("second");
    const auto before = std::chrono::steady_clock::now();
    ::kill(first, SIGKILL);
    // A worker takes one suspect at a time: the first shows that the death was noticed.
    all.wait_for("SELECT count(*) > 0 FROM " + all.schema + ".run r JOIN " + all.schema +
                 ".worker w ON w.id = r.worker WHERE r.phase = 2 AND w.name = 'second'");
    const auto took = std::chrono::steady_clock::now() - before;
    BOOST_TEST((took < fleet::brief("").lifetime + 3s));
    BOOST_TEST(all.join(first) == -SIGKILL);
}

BOOST_AUTO_TEST_CASE(a_worker_that_stood_still_for_longer_than_its_lifetime_lets_go_and_enters_under_a_new_number)
{
    fleet all{long_graphs};
    const pid_t first = all.start("first");
    all.enter("long", 0, 1);
    all.wait_for(running, 1);
    all.wait_for("SELECT count(*) = 1 FROM " + all.schema + ".checkpoint");
    const std::string number = all.ask("SELECT max(id) FROM " + all.schema + ".worker WHERE name = 'first'");
    const pid_t second = all.start("second");
    ::kill(first, SIGSTOP);
    all.wait_for("SELECT count(*) = 1 FROM " + all.schema + ".run r JOIN " + all.schema +
                 ".worker w ON w.id = r.worker WHERE r.phase = 2 AND w.name = 'second'");
    ::kill(first, SIGCONT);
    all.wait_for("SELECT count(*) = 1 FROM " + all.schema + ".worker WHERE name = 'first' AND until > now() AND id > " +
                 number);
    // It is a worker as before: when the other one ends, it takes the run.
    ::kill(second, SIGTERM);
    all.wait_for("SELECT count(*) = 1 FROM " + all.schema + ".run r JOIN " + all.schema +
                 ".worker w ON w.id = r.worker WHERE r.phase = 2 AND w.name = 'first' AND w.id > " + number);
    BOOST_TEST(all.ask("SELECT count(*) FROM " + all.schema + ".checkpoint") == "1");
    BOOST_TEST(all.join(second) == 0);
}

weft::task<void> brief_step(weft::node_context& context)
{
    co_await weft::sleep_for(30ms);
    context.set(total, 1);
}

/** `poison` ends its process; `good` goes on for some time. */
std::shared_ptr<const weft::durable_graphs> poisoned_graphs()
{
    auto graphs = std::make_shared<weft::durable_graphs>();
    weft::graph_builder poison{"poison"};
    poison.state(total).node("a", [](weft::node_context&) { ::_exit(86); });
    graphs->add(poison.edge(weft::start, "a").build());
    weft::graph_builder good{"good"};
    good.state(total).node("a", brief_step);
    good.edge(weft::start, "a");
    good.edge_when("a", "a", [](const weft::state_view& at) { return at.value_or(total, 0) < 10; });
    graphs->add(good.edge("a", weft::end).build());
    return graphs;
}

BOOST_AUTO_TEST_CASE(a_run_that_kills_its_processes_is_dead_after_its_attempts_and_its_neighbours_end)
{
    constexpr int neighbours = 10;
    fleet all{poisoned_graphs};
    std::set<pid_t> workers{all.start("w1"), all.start("w2")};
    all.enter("good", 0, neighbours);
    all.enter("poison", neighbours, 1);
    int deaths = 0;
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{90};
    while (all.count(dead) < 1 || all.count(finished) < neighbours) {
        BOOST_TEST_REQUIRE((std::chrono::steady_clock::now() < give_up));
        int status = 0;
        const pid_t ended = ::waitpid(-1, &status, WNOHANG);
        if (ended > 0 && workers.erase(ended) > 0) {
            BOOST_TEST(WEXITSTATUS(status) == 86);
            all.processes.erase(ended);
            ++deaths;
            workers.insert(all.start("w" + std::to_string(deaths + 2)));  // as a service manager does
        }
        rest(10ms);
    }
    BOOST_TEST(deaths == 3);
    BOOST_TEST(all.ask("SELECT graph FROM " + all.schema + ".run WHERE phase = 7") == "poison");
    BOOST_TEST(all.count(finished) == neighbours);
    BOOST_TEST(all.ask("SELECT message <> '' FROM " + all.schema + ".run WHERE phase = 7") == "t");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fleet_test

#endif
