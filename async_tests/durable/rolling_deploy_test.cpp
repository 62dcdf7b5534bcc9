#ifdef WEFT_HAS_POSTGRES

#include "durable/fleet.hpp"

#include <weft/store/role/queue_view.hpp>

#include <csignal>
#include <string>
#include <vector>

namespace rolling_deploy_test {

namespace ut = boost::unit_test;

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(rolling_deploy_test, *ut::precondition(has_postgres))

weft::task<void> step(weft::node_context& context, std::chrono::milliseconds span)
{
    co_await weft::sleep_for(span);
    context.set(total, 1);
}

/** Nodes one after another, of which the second one takes so long. */
weft::graph chain_of(const std::string& name, const std::vector<std::string>& nodes, std::chrono::milliseconds second)
{
    weft::graph_builder builder{name};
    builder.state(total);
    std::string before{weft::start};
    for (const std::string& node : nodes) {
        const std::chrono::milliseconds span = node == nodes[1] ? second : 2ms;
        builder.node(node, [span](weft::node_context& context) { return step(context, span); });
        builder.edge(before, node);
        before = node;
    }
    return builder.build();
}

/** Of `fits` and `lasts` the second revision goes on with what the first one has begun, of `moves` and `stays` not. */
std::shared_ptr<const weft::durable_graphs> first_revision(std::chrono::milliseconds long_node)
{
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(chain_of("fits", {"a", "b"}, 2ms)).add(chain_of("moves", {"a", "mid"}, 2ms));
    graphs->add(chain_of("lasts", {"a", "b"}, long_node)).add(chain_of("stays", {"a", "mid"}, long_node));
    return graphs;
}

std::shared_ptr<const weft::durable_graphs> second_revision()
{
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(chain_of("fits", {"a", "b", "c"}, 2ms)).add(chain_of("moves", {"a", "other"}, 2ms));
    graphs->add(chain_of("lasts", {"a", "b", "c"}, 2ms)).add(chain_of("stays", {"a", "other"}, 2ms));
    return graphs;
}

/** Whether the queue shows so many runs of a graph that no worker can take, in a process of its own. */
bool shows_unclaimable(const fleet& of, const std::string& graph, std::size_t count)
{
    const pid_t looking = in_process([&] {
        const std::unique_ptr<weft::postgres_store> store = open_store(of.where);
        bool is_shown = false;
        for (const weft::unclaimable_runs& each : weft::run_blocking(store->service().queue().unclaimable(10)))
            is_shown = is_shown || (each.graph == graph && each.count == count && !each.revision.empty());
        if (!is_shown) ::_exit(1);
    });
    return end_of(looking) == 0;
}

void end_worker(fleet& of, pid_t worker)
{
    ::kill(worker, SIGTERM);
    BOOST_TEST(of.join(worker) == 0);
}

// A thousand runs come while the workers are replaced one after another.
BOOST_AUTO_TEST_CASE(runs_end_once_while_workers_are_replaced_and_those_that_do_not_fit_wait_for_their_revision)
{
    constexpr int short_runs = 1'000;
    constexpr int long_runs = 10;
    constexpr int all_runs = short_runs + 2 * long_runs;
    fleet all{[] { return first_revision(600s); }};
    all.names_graphs = true;
    const std::string runs = all.schema + ".run";
    const std::string marks = all.schema + ".checkpoint";
    const pid_t old_one = all.start("old one");
    const pid_t old_two = all.start("old two");
    all.enter("lasts", short_runs, long_runs);
    all.enter("stays", short_runs + long_runs, long_runs);
    all.wait_for("SELECT count(*) = " + std::to_string(2 * long_runs) + " FROM " + marks + " WHERE node = 'a'");
    const pid_t entering = all.begin_to_enter(
        [](int i) { return std::string{i % 2 == 0 ? "fits" : "moves"}; }, 0, short_runs);
    all.wait_for("SELECT count(*) > 200 FROM " + runs);
    all.start("new one", second_revision);
    end_worker(all, old_one);
    all.wait_for("SELECT count(*) > 500 FROM " + runs);
    all.start("new two", second_revision);
    end_worker(all, old_two);
    BOOST_TEST(end_of(entering) == 0);

    // The last worker of the first revision has left: what only it can run waits, where it is seen.
    all.wait_for("SELECT count(*) = " + std::to_string(all_runs) + " FROM " + runs +
                 " WHERE phase = 4 OR phase = 1 AND revision <> ''");
    BOOST_TEST(all.ask("SELECT count(*) FROM " + runs + " WHERE graph IN ('fits', 'lasts') AND phase = 4") ==
               std::to_string(short_runs / 2 + long_runs));
    BOOST_TEST(shows_unclaimable(all, "stays", long_runs));
    all.start("late", [] { return first_revision(2ms); });
    all.wait_for("SELECT count(*) = " + std::to_string(all_runs) + " FROM " + runs + " WHERE phase = 4");

    BOOST_TEST(all.ask("SELECT count(*) || ' of ' || count(DISTINCT run) FROM " + marks + " WHERE kind = 4") ==
               std::to_string(all_runs) + " of " + std::to_string(all_runs));
    BOOST_TEST(all.ask("SELECT max(attempt) FROM " + runs) == "1");
    // How many runs of graphs did `a` with one revision and came to their end with another one.
    const std::string changed = "SELECT count(*) FROM " + runs + " r JOIN " + marks + " a ON a.run = r.id JOIN " +
                                marks + " e ON e.run = r.id WHERE a.node = 'a' AND a.kind = 1 AND e.kind = 4"
                                " AND a.graph_hash <> e.graph_hash AND r.graph IN ";
    BOOST_TEST(all.ask(changed + "('lasts')") == std::to_string(long_runs));
    BOOST_TEST(all.ask(changed + "('moves', 'stays')") == "0");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rolling_deploy_test

#endif
