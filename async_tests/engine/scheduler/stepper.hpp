#pragma once

#include "engine/nodes.hpp"
#include "engine/scheduler/scheduler.hpp"
#include "random_graphs.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>

namespace weft_tests {

/** A scheduler that a stepper keeps as it is. */
struct kept_scheduler {
    kept_scheduler(const weft::graph& of, const weft::schedule_limits& limits)
        : scheduler{of, weft::frontier{weft::state{of.layout()}}, limits}
    {
    }
    weft::scheduler& get() { return scheduler; }
    void node_begins() {}

    weft::scheduler scheduler;
};

/** Runs nodes that all succeed at once, one step at a time: with `walk_on` where it is allowed, or without. */
template <class Kept = kept_scheduler>
class stepper {
public:
    stepper(const weft::graph& of, const weft::schedule_limits& limits, bool walks)
        : graph_{of}, kept_{graph_, limits}, walks_{walks}
    {
        begin_next();
    }

    /** The node that has begun ends, and the next one begins. */
    void step()
    {
        const weft::graph_node& node = graph_.node(scheduler().at(at_).node);
        if (walks_ && node.ends_straight && walk_on(scheduler(), at_)) {
            ++walked_;
            return kept_.node_begins();
        }
        scheduler().node_succeeded(at_, {}, weft::command::next());
        begin_next();
    }
    [[nodiscard]] bool is_over() { return scheduler().course().is_reported(); }
    [[nodiscard]] int walked() const { return walked_; }
    [[nodiscard]] Kept& kept() { return kept_; }
    [[nodiscard]] weft::scheduler& scheduler() { return kept_.get(); }

    /** Where the run stands, as text. */
    [[nodiscard]] std::string place()
    {
        weft::frontier where{scheduler().where()};
        std::string text = std::to_string(at_) + " of " + std::to_string(where.steps) + ":";
        if (where.is_on_line) text += " on the line:";
        where.write_trail(graph_);
        const auto add = [&text](auto number) { text.append(" ").append(std::to_string(number)); };
        where.path.for_each(add);
        text += "; visits";
        for (const std::uint32_t count : where.visits) add(count);
        for (const weft::run_branch& t : where.branches) {
            text += "; branch";
            for (const std::uint32_t number : {t.node, t.visit, t.attempt, t.region, t.branch, t.step, t.in_a_row})
                add(number);
            add(static_cast<int>(t.phase));
            add(t.is_counted);
            add(t.has_paused);
            add(t.past ? 1 : 0);
        }
        for (const weft::region& r : where.regions) {
            text += "; region";
            if (!r.is_open) continue;
            for (const std::uint32_t number :
                 {r.source, r.join, r.started, r.running, r.succeeded, r.failed, r.arrived})
                add(number);
            r.ended.for_each(add, [&add](const weft::ended_branch& one) { add(one.branch); });
        }
        return text;
    }

private:
    void begin_next()
    {
        at_ = scheduler().start_next();
        while (at_ == weft::no_index && !is_over()) {
            const auto next = scheduler().next();
            BOOST_REQUIRE(next);
            if (next->what == weft::action::kind::start_node) at_ = next->branch;
            if (at_ == weft::no_index && !is_over()) at_ = scheduler().start_next();
        }
        kept_.node_begins();
    }

    weft::graph graph_;
    Kept kept_;
    weft::branch_index at_ = weft::no_index;
    bool walks_;
    int walked_ = 0;
};

/** Steps both until they end, which must be in the same places, at every step. */
template <class One, class Other>
void step_both(stepper<One>& one, stepper<Other>& other, std::uint64_t seed)
{
    for (int i = 0; i < 3000 && !other.is_over(); ++i) {
        BOOST_REQUIRE_MESSAGE(one.place() == other.place(),
                              "seed " << seed << "\n  " << one.place() << "\n  " << other.place());
        one.step();
        other.step();
    }
    BOOST_REQUIRE(one.is_over() && other.is_over());
    BOOST_REQUIRE_EQUAL(one.place(), other.place());
    BOOST_REQUIRE((one.scheduler().course().status() == other.scheduler().course().status()));
}

/** Calls `check` with 300 random graphs, each with random limits, the random numbers that come next, and its seed. */
template <class Check>
void for_limited_graphs(Check check)
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        weft::random_source random{seed};
        graph_maker maker{random};
        const weft::graph graph = maker.make();
        weft::schedule_limits limits{.in_flight_max = static_cast<std::uint32_t>(random.below(3))};
        if (random.below(3) == 0) limits.steps_max = static_cast<std::uint32_t>(1 + random.below(maker.size()));
        check(graph, limits, random, seed);
    }
}

}  // namespace weft_tests
