#include <boost/test/unit_test.hpp>

#include "../graph/graphs.hpp"
#include "scheduler_script.hpp"

#include <weft/base/random.hpp>

#include <map>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(scheduler_property_test)

namespace {

/** Builds random graphs out of chains and fan-outs within each other, some of whose branches meet early. */
class graph_maker {
public:
    explicit graph_maker(weft::random_source& random) : random_{random} { builder_.state(total, words); }

    weft::graph make()
    {
        const span whole = block(3);
        edge(std::string{weft::start}, whole.first);
        return builder_.build();
    }
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& edges() const { return edges_; }
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    struct span {
        std::string first;
        std::string last;
    };

    std::string node()
    {
        std::string name = "n" + std::to_string(size_++);
        builder_.node(name, [] {});
        return name;
    }
    void edge(const std::string& from, const std::string& to)
    {
        builder_.edge(from, to);
        edges_.emplace_back(from, to);
    }
    span block(int depth)
    {
        if (depth == 0 || random_.below(4) == 0) {
            const std::string only = node();
            return {only, only};
        }
        return random_.below(3) == 0 ? chain(depth) : fan_out(depth);
    }
    span chain(int depth)
    {
        const span one = block(depth - 1);
        const span two = block(depth - 1);
        edge(one.last, two.first);
        return {one.first, two.last};
    }
    span fan_out(int depth)
    {
        const std::string source = node();
        const std::string join = node();
        const std::string early = random_.below(2) == 0 ? node() : "";
        const std::uint64_t width = 2 + random_.below(3);
        for (std::uint64_t b = 0; b < width + (early.empty() ? 0 : 2); ++b) {
            const span branch = block(depth - 1);
            edge(source, branch.first);
            edge(branch.last, !early.empty() && b < 2 ? early : join);
        }
        if (!early.empty()) edge(early, join);
        if (random_.below(3) == 0) edge(source, join);
        return {source, join};
    }

    weft::random_source& random_;
    weft::graph_builder builder_{"random"};
    std::vector<std::pair<std::string, std::string>> edges_;
    std::size_t size_ = 0;
};

}  // namespace

BOOST_AUTO_TEST_CASE(in_nested_fan_outs_every_node_runs_once_after_all_that_lead_to_it)
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        weft::random_source random{seed};
        graph_maker maker{random};
        scheduler_script run{maker.make(), {.in_flight_max = static_cast<std::uint32_t>(random.below(4))}};
        run.begin();
        while (!run.running().empty())
            run.ok(run.running()[random.below(run.running().size())], weft::state_update{}.set(total, 1));
        BOOST_REQUIRE((run.scheduler().status() == weft::run_status::finished));
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
        BOOST_REQUIRE((run.scheduler().status() == weft::run_status::failed));
        BOOST_REQUIRE_EQUAL(run.scheduler().why()->node, culprit);
        BOOST_REQUIRE(run.path().size() <= maker.size());
    }
}

BOOST_AUTO_TEST_SUITE_END()
