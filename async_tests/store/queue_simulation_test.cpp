#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "store/record/rule_book.hpp"
#include "store/tables/model_documents.hpp"

#include <weft/base/random.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/store/record/store_model.hpp>

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/** Seeded worlds of tenants, limits, abilities and failures on the rules of all stores. What each claim gives is judged
 *  by a count that is kept beside it. */
namespace queue_simulation_test {

using namespace std::chrono_literals;
using weft::store_flaw;

struct known_run {
    std::string tenant;
    std::string graph;
    std::string revision;
    std::string user;
    weft::wall_time not_before{};  // of its next attempt
};

struct known_worker {
    weft::worker_id id = 0;
    std::vector<weft::graph_ability> graphs;
};

class queue_world {
public:
    queue_world(std::uint64_t seed, store_flaw flaw)
        : random_{seed}, model_{weft::hash_key{}, weft::store_model_options{.flaw = flaw}}
    {
        rule(weft::store_detail::id_of_limit(weft::limit_scope::tenant, "a"), limit_of(2));
        rule(weft::store_detail::id_of_limit(weft::limit_scope::key, "user"), limit_of(1));
        rule(weft::store_detail::id_of_retry("draw"),
             weft::store_detail::text_of(weft::retry_rule{.first = 10s, .longest = 40s, .retries_failures = true}));
        rule(weft::store_detail::id_of_weight("b"), weft::store_detail::text_of_weight(2));
        for (const auto& graphs : std::vector<std::vector<weft::graph_ability>>{
                 {}, {{"plan", "1"}}, {{"plan", "2"}, {"draw", ""}}, {{"draw", "1"}}}) {
            weft::worker_entry entry{"w", 24h};
            entry.graphs = graphs;
            workers_.push_back({model_.enter(std::move(entry), at_), graphs});
        }
    }

    [[nodiscard]] std::string run()
    {
        for (int step = 0; step < 150 && violation_.empty(); ++step) {
            switch (random_.below(6)) {
            case 0:
            case 1: enqueue(); break;
            case 2:
            case 3: claim(); break;
            case 4: end_one(); break;
            default: pass(std::chrono::milliseconds{random_.below(4'000)});
            }
        }
        if (violation_.empty()) drain();
        return violation_;
    }

private:
    static std::string limit_of(std::uint32_t count)
    {
        return weft::store_detail::text_of(weft::queue_limit{.active_max = count});
    }

    void rule(std::string id, std::string body)
    {
        weft::document_change change;
        change.key = {weft::store_detail::rule_kind, "", std::move(id)};
        change.body = std::move(body);
        static_cast<void>(weft::store_detail::write_documents(model_.tables(), {std::move(change)}, at_));
    }

    void pass(std::chrono::milliseconds span)
    {
        at_.now += span;
        at_.today += span;
    }

    std::string any(std::vector<std::string> of) { return of[random_.below(of.size())]; }

    void enqueue()
    {
        weft::id_source ids{weft::real_clock(), random_};
        weft::new_run run{weft::thread_key{std::to_string(++entered_), any({"a", "b", "c"})}, ids.next<weft::run_id>()};
        run.graph_named(any({"plan", "draw"})).with_attempts_max(3);
        run.revision = any({"", "1", "2"});
        if (random_.below(3) == 0) run.limit_keys["user"] = any({"ann", "bob"});
        run.priority = static_cast<std::int32_t>(random_.below(3)) - 1;
        if (random_.below(4) == 0) run.started_by(workers_[random_.below(workers_.size())].id);
        const auto user = run.limit_keys.find("user");
        runs_[run.id] = {run.thread.tenant, run.graph, run.revision,
                         user == run.limit_keys.end() ? std::string{} : user->second};
        const weft::worker_id by = run.start_on;
        const weft::run_admission admission = model_.enqueue(std::move(run), at_);
        if (admission.claim) note(*admission.claim, worker_of(by));
    }

    const known_worker& worker_of(weft::worker_id id) const
    {
        for (const known_worker& each : workers_)
            if (each.id == id) return each;
        return workers_.front();
    }

    void claim()
    {
        const known_worker& by = workers_[random_.below(workers_.size())];
        for (const weft::run_claim& each : model_.claim(by.id, 1 + random_.below(4), at_)) note(each, by);
    }

    void note(const weft::run_claim& claim, const known_worker& by)
    {
        const known_run& run = runs_.at(claim.fence.run);
        bool is_able = by.graphs.empty();
        for (const weft::graph_ability& each : by.graphs)
            is_able = is_able || (each.graph == run.graph && (run.revision.empty() || each.revision.empty() ||
                                                              each.revision == run.revision));
        if (!is_able) violation_ = "a worker got a run that it cannot run";
        if (at_.today < run.not_before) violation_ = "an attempt before its moment";
        if (!held_.emplace(claim.fence.run, claim.fence).second) violation_ = "a run that two workers have";
        std::map<std::string, int> tenants;
        std::map<std::string, int> users;
        for (const auto& [id, fence] : held_) {
            const known_run& each = runs_.at(id);
            ++tenants[each.tenant];
            if (!each.user.empty()) ++users[each.tenant + "/" + each.user];
        }
        if (tenants["a"] > 2) violation_ = "a tenant above its limit";
        for (const auto& [user, count] : users)
            if (count > 1) violation_ = "a user above the limit";
    }

    void end_one()
    {
        if (held_.empty()) return;
        auto which = held_.begin();
        std::advance(which, static_cast<std::ptrdiff_t>(random_.below(held_.size())));
        const weft::write_fence fence = which->second;
        held_.erase(which);
        known_run& run = runs_.at(fence.run);
        if (random_.below(4) == 0) {
            static_cast<void>(model_.yield(fence, at_));
            return;
        }
        weft::run_outcome outcome{weft::run_phase::finished};
        if (random_.below(2) == 0) {
            outcome = weft::run_outcome{weft::run_phase::failed, "busy"};
            outcome.retriable();
            if (run.graph == "draw") run.not_before = at_.today + 5s;  // half of the span at least
        }
        static_cast<void>(model_.finish(fence, outcome, at_));
    }

    /** With workers that live and limits that open, every run comes to its end. */
    void drain()
    {
        for (int round = 0; round < 400 && violation_.empty(); ++round) {
            for (const known_worker& by : workers_)
                for (const weft::run_claim& each : model_.claim(by.id, 8, at_)) note(each, by);
            for (const auto& [id, fence] : held_)
                static_cast<void>(model_.finish(fence, weft::run_outcome{}, at_));
            held_.clear();
            if (is_done()) return;
            pass(5s);
        }
        if (violation_.empty()) violation_ = "a run that is never taken";
    }

    [[nodiscard]] bool is_done() const
    {
        for (const auto& [id, run] : runs_) {
            const auto record = model_.find_run(id);
            if (record && !is_over(record->phase)) return false;
        }
        return true;
    }

    weft::random_source random_;
    weft::store_moment at_{weft::time_point{1h}, weft::wall_time{24h}};
    weft::store_model model_;
    std::vector<known_worker> workers_;
    std::map<weft::run_id, known_run> runs_;
    std::map<weft::run_id, weft::write_fence> held_;
    std::string violation_;
    int entered_ = 0;
};

/** A tenant with many runs and two with few, of random weights: what is served follows the weights at every moment, and
 *  a run of a small tenant does not wait for the many. */
std::string serve_crowd(std::uint64_t seed, store_flaw flaw)
{
    weft::random_source random{seed};
    weft::store_model model{weft::hash_key{}, weft::store_model_options{.flaw = flaw}};
    weft::store_moment at{weft::time_point{1h}, weft::wall_time{24h}};
    weft::id_source ids{weft::real_clock(), random};
    std::map<std::string, double> weights{{"crowd", 1 + random.below(3)}, {"few", 1 + random.below(3)},
                                          {"some", 1 + random.below(3)}};
    std::vector<weft::document_change> changes;
    for (const auto& [tenant, weight] : weights) {
        changes.emplace_back();
        changes.back().key = {weft::store_detail::rule_kind, "", weft::store_detail::id_of_weight(tenant)};
        changes.back().body = weft::store_detail::text_of_weight(static_cast<std::uint32_t>(weight));
    }
    static_cast<void>(weft::store_detail::write_documents(model.tables(), std::move(changes), at));
    int entered = 0;
    const auto enter = [&](const std::string& tenant, int count) {
        for (int i = 0; i < count; ++i) {
            weft::new_run run{weft::thread_key{std::to_string(++entered), tenant}, ids.next<weft::run_id>()};
            static_cast<void>(model.enqueue(std::move(run), at));
            at.today += 1ms;
        }
    };
    enter("crowd", 150);
    enter("few", 60);
    enter("some", 60);
    const weft::worker_id worker = model.enter("w", 24h, at);
    std::map<std::string, double> served;
    for (int i = 0; i < 40; ++i) {
        for (const weft::run_claim& each : model.claim(worker, 1 + random.below(3), at))
            served[each.fence.thread.tenant] += 1 / weights[each.fence.thread.tenant];
        for (const auto& [one, of_one] : weights)
            for (const auto& [other, of_other] : weights)
                if (served["few"] * weights["few"] < 60 && served["some"] * weights["some"] < 60 &&
                    served[one] > served[other] + 1.001)
                    return "shares that do not follow the weights";
    }
    return {};
}

/** As many as `store_tests --run_test=queue_simulation_test -- --seeds 100000` says. */
std::uint64_t seeds_of_this_run()
{
    const auto& suite = boost::unit_test::framework::master_test_suite();
    for (int i = 1; i + 1 < suite.argc; ++i)
        if (std::string_view{suite.argv[i]} == "--seeds") return std::stoull(suite.argv[i + 1]);
#ifdef NDEBUG
    return 4'000;
#else
    return 40;
#endif
}

std::string violation_of(std::uint64_t seed, store_flaw flaw)
{
    const std::string found = serve_crowd(seed, flaw);
    return found.empty() ? queue_world{seed, flaw}.run() : found;
}

struct queue_mutant {
    const char* name;
    store_flaw flaw;
};

std::ostream& operator<<(std::ostream& to, const queue_mutant& each) { return to << each.name; }

const std::vector<queue_mutant> queue_mutants = {{"no abilities", store_flaw::no_abilities},
                                                 {"no turns", store_flaw::no_turns},
                                                 {"no limits", store_flaw::no_limits},
                                                 {"no back-off", store_flaw::no_back_off}};

BOOST_AUTO_TEST_SUITE(queue_simulation_test)

BOOST_AUTO_TEST_CASE(claims_keep_abilities_turns_limits_and_moments)
{
    const std::uint64_t seeds = seeds_of_this_run();
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const std::string found = violation_of(seed, store_flaw::none);
        BOOST_REQUIRE_MESSAGE(found.empty(), "seed " << seed << ": " << found);
    }
}

BOOST_DATA_TEST_CASE(a_queue_that_forgets_a_rule_is_found_out, boost::unit_test::data::make(queue_mutants), each)
{
    std::string found;
    std::uint64_t seed = 0;
    while (found.empty() && seed < 1'000) found = violation_of(++seed, each.flaw);
    BOOST_REQUIRE_MESSAGE(!found.empty(), "no violation in 1,000 seeds with " << each.name);
    BOOST_TEST_MESSAGE(each.name << ", seed " << seed << ": " << found);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace queue_simulation_test
