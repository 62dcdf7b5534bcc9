#include <boost/test/unit_test.hpp>

#include "graph/graphs.hpp"
#include "random_graphs.hpp"
#include "scheduler_script.hpp"

#include <boost/json/serialize.hpp>

#include <map>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(scheduler_property_test)

namespace {

struct outcome {
    std::string state;
    std::vector<std::uint32_t> visits;
    std::string quality;
    friend bool operator==(const outcome&, const outcome&) = default;
};

/** Ends nodes in a random order. Senders send items with numbers, the worker with the number 2 fails, and every node
 *  leaves its name with the number that it sees. */
outcome play_with_sends(scheduler_script& run, const weft::graph& of, weft::random_source& order)
{
    const std::uint32_t slot = of.layout()->find("value");
    run.begin();
    while (!run.scheduler().course().is_reported()) {
        const auto running = run.running();
        BOOST_REQUIRE(!running.empty());
        const std::string node{running[order.below(running.size())]};
        const std::int64_t seen = run.view_of(node).value_or(value, 0);
        if (node.front() == 's') {
            weft::sent_items items(2 + static_cast<std::size_t>(seen) % 3);
            for (std::size_t i = 0; i < items.size(); ++i) {
                items[i].target = of.find("w" + std::to_string(std::stoi(node.substr(1)) + 1));
                items[i].input.push_back({slot, true, false, weft::make_box<std::int64_t>(i + 1)});
            }
            run.send_items(node, std::move(items));
        } else if (node.front() == 'w' && seen == 2) {
            run.fail(node, weft::errc::node_failed, false);
        } else {
            run.ok(node, weft::state_update{}.set(total, 1).set(words, node + ":" + std::to_string(seen)));
        }
    }
    const auto visits = run.trail().visits;
    return {boost::json::serialize(run.state().to_json()), {visits.begin(), visits.end()},
            std::string{name_of(run.scheduler().course().quality(run.where().is_degraded))}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(F6_from_any_checkpoint_a_run_with_sends_ends_as_the_uninterrupted_one)
{
    std::size_t resumed = 0;
    std::size_t within_sends = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        weft::random_source random{seed};
        graph_maker maker{random, true};
        const weft::graph graph = maker.make(2);
        weft::schedule_limits limits{.steps_max = 0, .in_flight_max = static_cast<std::uint32_t>(random.below(4))};
        limits.saves = true;
        scheduler_script whole{graph, limits};
        const outcome wanted = play_with_sends(whole, graph, random);
        limits.saves = false;
        const std::size_t step = whole.kept().size() / 8 + 1;
        for (std::size_t i = random.below(step); i < whole.kept().size(); i += step) {
            const weft::frontier& from = whole.kept()[i];
            for (const weft::region& r : from.regions) within_sends += r.is_open && r.sent ? 1 : 0;
            scheduler_script run{graph, weft::frontier{from}, limits};
            BOOST_REQUIRE_MESSAGE(play_with_sends(run, graph, random) == wanted,
                                  "seed " << seed << ", checkpoint " << i << " of " << whole.kept().size());
            ++resumed;
        }
    }
    BOOST_TEST_MESSAGE(resumed << " resumes, " << within_sends << " fan-outs by send that were open then");
    BOOST_TEST(resumed > 60u);
    BOOST_TEST(within_sends > 40u);
}

BOOST_AUTO_TEST_CASE(in_nested_fan_outs_every_node_runs_once_after_all_that_lead_to_it)
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        weft::random_source random{seed};
        graph_maker maker{random};
        scheduler_script run{maker.make(), {.in_flight_max = static_cast<std::uint32_t>(random.below(4))}};
        run.begin();
        while (!run.running().empty())
            run.ok(run.running()[random.below(run.running().size())], weft::state_update{}.set(total, 1));
        BOOST_REQUIRE((run.scheduler().course().status() == weft::run_status::finished));
        std::map<std::string_view, std::size_t> position;
        const auto path = run.path();
        for (std::size_t i = 0; i < path.size(); ++i) position.emplace(path[i], i + 1);
        BOOST_REQUIRE_EQUAL(path.size(), maker.size());
        BOOST_REQUIRE_EQUAL(position.size(), maker.size());
        BOOST_REQUIRE_EQUAL(run.state().get(total), static_cast<std::int64_t>(maker.size()));
        for (const auto& [from, to] : maker.edges())
            BOOST_REQUIRE_MESSAGE(position[from] < position[to], "seed " << seed << ": " << from << " before " << to);
    }
}

BOOST_AUTO_TEST_CASE(a_failure_anywhere_fails_the_run_and_is_the_one_that_is_told)
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        weft::random_source random{seed};
        graph_maker maker{random};
        scheduler_script run{maker.make()};
        run.begin();
        std::uint64_t before = random.below(maker.size());
        for (; before > 0 && run.running().size() > 0; --before)
            run.ok(run.running()[random.below(run.running().size())]);
        if (run.running().empty()) continue;
        const std::string culprit{run.running()[random.below(run.running().size())]};
        run.fail(culprit);
        while (!run.running().empty()) {
            const std::string node{run.running()[random.below(run.running().size())]};
            run.is_stopping(node) ? run.stopped(node) : run.ok(node);
        }
        BOOST_REQUIRE((run.scheduler().course().status() == weft::run_status::failed));
        BOOST_REQUIRE_EQUAL(run.scheduler().course().why()->node, culprit);
        BOOST_REQUIRE(run.path().size() <= maker.size());
    }
}

BOOST_AUTO_TEST_SUITE_END()
