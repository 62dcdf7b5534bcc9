#ifdef WEFT_HAS_POSTGRES

#include "durable/fleet.hpp"

#include <csignal>
#include <set>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace fleet_test {

namespace ut = boost::unit_test;

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(fleet_test, *ut::precondition(has_postgres))

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
    ::kill(first, SIGTERM);
    all.wait_for("SELECT count(*) = " + std::to_string(runs) + " FROM " + all.schema + ".run r JOIN " + all.schema +
                 ".worker w ON w.id = r.worker WHERE r.phase = 2 AND w.name = 'second'");
    // A run that waits for the end of a lease is noted as lost.
    BOOST_TEST(all.ask("SELECT count(*) FROM " + all.schema + ".run WHERE lost_attempts <> ''") == "0");
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
    ::kill(first, SIGKILL);
    // A worker takes one suspect at a time: the first shows that the death was noticed.
    all.wait_for("SELECT count(*) > 0 FROM " + all.schema + ".run r JOIN " + all.schema +
                 ".worker w ON w.id = r.worker WHERE r.phase = 2 AND w.name = 'second'");
    BOOST_TEST(all.ask("SELECT count(*) > 0 FROM " + all.schema + ".run WHERE lost_attempts <> ''") == "t");
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
