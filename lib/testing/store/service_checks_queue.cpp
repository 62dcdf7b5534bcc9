#include "store_trial.hpp"

#include <weft/store/service/queue_rules.hpp>

#include <algorithm>
#include <array>
#include <map>

namespace weft::testing::store_trial {

namespace {

using std::chrono::milliseconds;

/** Enters `count` runs of a tenant, each in a thread of its own. */
task<void> fill_queue(checkpoint_store& store, std::string tenant, int count,
                      std::map<std::string, std::string> keys = {})
{
    for (int i = 0; i < count; ++i) {
        const run_id id = co_await new_run_id();
        new_run run{thread_key{id.text(), tenant}, id};
        run.graph_named("plan");
        run.limit_keys = keys;
        static_cast<void>(co_await store.enqueue(std::move(run)));
    }
}

/** The claim of one worker, by the store that the rules are in. */
task<std::vector<run_claim>> claim_up_to(service_store_under_test& trial, worker_id worker, std::size_t max)
{
    std::vector<run_claim> claims = co_await trial.store().claim(worker, max);
    co_return claims;
}

/** How many of the claims are runs of the tenant. */
std::size_t of_tenant(const std::vector<run_claim>& claims, std::string_view tenant)
{
    return static_cast<std::size_t>(std::count_if(claims.begin(), claims.end(), [&](const run_claim& each) {
        return each.fence.thread.tenant == tenant;
    }));
}

// In claims of several sizes: where one ends in the middle of a turn, the next one goes on.
task<void> tenants_are_served_by_weight(service_store_under_test& trial)
{
    queue_rules rules{trial.service().documents()};
    co_await rules.set_weight("acme", 3);
    const std::optional<std::uint32_t> weight = co_await rules.weight("acme");
    expect(weight == 3u, "the weight of a tenant is known");
    co_await fill_queue(trial.store(), "acme", 24);
    co_await fill_queue(trial.store(), "bold", 24);
    const worker_id worker = co_await enter(trial.store());
    std::vector<run_claim> taken;
    for (const std::size_t max : {1, 2, 3, 5, 9}) {
        const std::vector<run_claim> claims = co_await claim_up_to(trial, worker, max);
        taken.insert(taken.end(), claims.begin(), claims.end());
    }
    expect_equal(taken.size(), 20, "claims");
    expect_equal(of_tenant(taken, "acme"), 15, "claims of the tenant with three turns");
    co_await rules.set_weight("acme", std::nullopt);
    const std::vector<run_claim> even = co_await claim_up_to(trial, worker, 8);
    const std::size_t share = of_tenant(even, "acme");
    expect(share >= 3 && share <= 5, "with equal weights the shares are equal");
}

// A rule of its own comes before the one for each; what ends or is given back makes room at once.
task<void> a_tenant_has_no_more_runs_under_way_than_its_limit(service_store_under_test& trial)
{
    queue_rules rules{trial.service().documents()};
    const queue_limit each{.active_max = 2};
    const queue_limit own{.active_max = 3};
    co_await rules.set_limit(limit_scope::tenant, "", each);
    co_await rules.set_limit(limit_scope::tenant, "large", own);
    co_await fill_queue(trial.store(), "large", 6);
    co_await fill_queue(trial.store(), "small", 6);
    const worker_id worker = co_await enter(trial.store());
    const std::vector<run_claim> first = co_await claim_up_to(trial, worker, 10);
    expect_equal(of_tenant(first, "large"), 3, "under way of the tenant with a rule of its own");
    expect_equal(of_tenant(first, "small"), 2, "under way of the other tenant");
    const std::vector<run_claim> none = co_await claim_up_to(trial, worker, 10);
    expect_equal(none.size(), 0, "claims while all are at their limits");
    const write_state done = co_await trial.store().finish(first[0].fence, run_outcome{});
    expect_equal(done, write_state::ok, "end of a run");
    const write_state back = co_await trial.store().yield(first[1].fence);
    expect_equal(back, write_state::ok, "a run that is given back");
    const std::vector<run_claim> next = co_await claim_up_to(trial, worker, 10);
    expect_equal(next.size(), 2, "claims when two have left");
    co_await rules.set_limit(limit_scope::tenant, "large", std::nullopt);
    co_await rules.set_limit(limit_scope::tenant, "", std::nullopt);
    const std::vector<run_claim> rest = co_await claim_up_to(trial, worker, 10);
    expect_equal(rest.size(), 6, "claims without limits");
    const std::size_t early = co_await trial.service().runs().forget_idle_limits();
    expect_equal(early, 0, "forgotten limits that runs count for");
    for (const std::vector<run_claim>* some : {&first, &next, &rest})
        for (const run_claim& each : *some) static_cast<void>(co_await trial.store().finish(each.fence, run_outcome{}));
    const std::size_t idle = co_await trial.service().runs().forget_idle_limits();
    expect_equal(idle, 2, "forgotten limits after the end of all runs");
}

// Over all tenants: it is the graph that is dear, of whichever tenant its runs are.
task<void> a_graph_has_no_more_runs_under_way_than_its_limit(service_store_under_test& trial)
{
    queue_rules rules{trial.service().documents()};
    const queue_limit one{.active_max = 1};
    co_await rules.set_limit(limit_scope::graph, "plan", one);
    co_await fill_queue(trial.store(), "a", 2);
    co_await fill_queue(trial.store(), "b", 2);
    const run_id other = co_await new_run_id();
    new_run free{thread_key{"free", "a"}, other};
    free.graph_named("write");
    static_cast<void>(co_await trial.store().enqueue(std::move(free)));
    const worker_id worker = co_await enter(trial.store());
    const std::vector<run_claim> claims = co_await claim_up_to(trial, worker, 10);
    expect_equal(claims.size(), 2, "one of the graph, and one of another graph");
    const bool has_other = std::any_of(claims.begin(), claims.end(),
                                       [&](const run_claim& each) { return each.fence.run == other; });
    expect(has_other, "what stands behind a graph at its limit goes on");
}

// The flood of one user holds up neither the tenant's others nor, when one ends, the user's next.
task<void> a_key_has_no_more_runs_under_way_than_its_limit(service_store_under_test& trial)
{
    queue_rules rules{trial.service().documents()};
    const queue_limit one{.active_max = 1};
    co_await rules.set_limit(limit_scope::key, "user", one);
    const std::map<std::string, std::string> ann{{"user", "ann"}};
    const std::map<std::string, std::string> bob{{"user", "bob"}};
    const std::map<std::string, std::string> team{{"team", "ann"}};
    co_await fill_queue(trial.store(), "acme", 5, ann);
    co_await fill_queue(trial.store(), "acme", 1, bob);
    co_await fill_queue(trial.store(), "bold", 1, ann);
    co_await fill_queue(trial.store(), "acme", 1, team);
    const worker_id worker = co_await enter(trial.store());
    std::vector<run_claim> claims = co_await claim_up_to(trial, worker, 10);
    expect_equal(claims.size(), 4, "one of each user, and what has no such key");
    const std::vector<run_claim> none = co_await claim_up_to(trial, worker, 10);
    expect_equal(none.size(), 0, "claims while the user is at the limit");
    for (int left = 4; left > 0; --left) {
        for (const run_claim& each : claims) {
            const run_outcome ended;
            static_cast<void>(co_await trial.store().finish(each.fence, ended));
        }
        claims = co_await claim_up_to(trial, worker, 10);
        expect_equal(claims.size(), 1, "the user's next run");
    }
}

// A count that only falls when a run ends well would close a limit for ever.
task<void> what_is_lost_or_waits_leaves_its_limit(service_store_under_test& trial)
{
    queue_rules rules{trial.service().documents()};
    const queue_limit one{.active_max = 1};
    co_await rules.set_limit(limit_scope::tenant, "acme", one);
    co_await fill_queue(trial.store(), "acme", 3);
    const worker_id lost = co_await trial.store().enter("lost", trial.lifetime());
    const std::vector<run_claim> first = co_await claim_up_to(trial, lost, 10);
    expect_equal(first.size(), 1, "claims of the worker that is lost");
    co_await trial.pass(trial.lifetime() + trial.lifetime() / 2);
    const std::size_t reaped = co_await trial.store().reap(10);
    expect_equal(reaped, 1, "runs reaped");
    const worker_id worker = co_await enter(trial.store());
    const std::vector<run_claim> second = co_await claim_up_to(trial, worker, 10);
    expect_equal(second.size(), 1, "claims after the loss");
    const run_outcome waits{run_phase::waiting};
    const write_state rests = co_await trial.store().finish(second[0].fence, waits);
    expect_equal(rests, write_state::ok, "a run that waits");
    const std::vector<run_claim> third = co_await claim_up_to(trial, worker, 10);
    expect_equal(third.size(), 1, "claims while one waits");
    const std::optional<run_claim> resumed = co_await trial.store().resume(worker, second[0].fence.run);
    expect(!resumed, "a run under a limit is left to claims");
    const run_phase phase = co_await phase_of(trial.store(), second[0].fence.run);
    expect_equal(phase, run_phase::ready, "it stands in the queue again");
    const std::vector<run_claim> none = co_await claim_up_to(trial, worker, 10);
    expect_equal(none.size(), 0, "claims at the limit");
}

// By the clock of the store, and workers know when to look again.
task<void> runs_begin_at_the_rate_of_their_limit(service_store_under_test& trial)
{
    queue_rules rules{trial.service().documents()};
    const milliseconds span = trial.lifetime();
    const queue_limit two_then_one{.rate = rate_rule{.count = 1, .per = span, .burst = 2}};
    co_await rules.set_limit(limit_scope::tenant, "acme", two_then_one);
    const queue_limit slow{.rate = rate_rule{.count = 1, .per = span, .burst = 1}};
    co_await rules.set_limit(limit_scope::key, "user", slow);
    co_await fill_queue(trial.store(), "acme", 4);
    const std::map<std::string, std::string> ann{{"user", "ann"}};
    co_await fill_queue(trial.store(), "bold", 3, ann);
    const worker_id worker = co_await enter(trial.store());
    const std::vector<run_claim> first = co_await claim_up_to(trial, worker, 10);
    expect_equal(of_tenant(first, "acme"), 2, "a burst");
    expect_equal(of_tenant(first, "bold"), 1, "of a key");
    const std::vector<run_claim> none = co_await claim_up_to(trial, worker, 10);
    expect_equal(none.size(), 0, "claims before the next is due");
    const std::optional<milliseconds> due = co_await trial.store().news()->next_due();
    expect(due && *due <= span, "it is known when the next one is due");
    co_await trial.pass(span + span / 10);
    const std::vector<run_claim> second = co_await claim_up_to(trial, worker, 10);
    expect_equal(of_tenant(second, "acme"), 1, "the next one of a tenant");
    expect_equal(of_tenant(second, "bold"), 1, "the next one of a key");
}

// Its attempts are counted, and why each was lost is kept for people.
task<void> a_failed_run_tries_again_after_a_while(service_store_under_test& trial)
{
    queue_rules rules{trial.service().documents()};
    const retry_rule patient{.first = trial.lifetime(), .longest = trial.lifetime(), .retries_failures = true};
    co_await rules.set_retry("plan", patient);
    const run_id id = co_await new_run_id();
    new_run run{thread_key{"t"}, id};
    run.graph_named("plan").with_attempts_max(2);
    static_cast<void>(co_await trial.store().enqueue(std::move(run)));
    const worker_id worker = co_await enter(trial.store());
    const std::vector<run_claim> first = co_await claim_up_to(trial, worker, 10);
    expect_equal(first.size(), 1, "claims");
    run_outcome failed{run_phase::failed, "busy"};
    failed.retriable();
    const write_state done = co_await trial.store().finish(first[0].fence, failed);
    expect_equal(done, write_state::ok, "a failure");
    const std::optional<run_record> waits = co_await trial.store().find_run(id);
    expect_equal(waits->phase, run_phase::queued, "phase between two attempts");
    expect(waits->lost_attempts.size() == 1 && waits->lost_attempts[0].cause == "busy", "its cause is kept");
    const std::vector<run_claim> none = co_await claim_up_to(trial, worker, 10);
    expect_equal(none.size(), 0, "claims before the moment");
    const std::optional<milliseconds> due = co_await trial.store().news()->next_due();
    expect(due && *due <= trial.lifetime(), "it is known when the attempt is due");
    const std::vector<dead_runs> alive = co_await trial.other().queue().dead(10);
    expect(alive.empty(), "no run is dead between two attempts");
    co_await trial.pass(trial.lifetime() + trial.lifetime() / 10);
    const std::vector<run_claim> second = co_await claim_up_to(trial, worker, 10);
    expect_equal(second.size(), 1, "claims at the moment");
    expect_equal(second[0].attempt, 2, "attempt");
    const write_state again = co_await trial.store().finish(second[0].fence, failed);
    expect_equal(again, write_state::ok, "a second failure");
    const std::optional<run_record> dead = co_await trial.store().find_run(id);
    expect_equal(dead->phase, run_phase::dead, "phase when the attempts are used up");
    expect_equal(dead->message, std::string{"busy"}, "why it is dead");
    expect_equal(dead->lost_attempts.size(), 2, "causes");
    const std::vector<dead_runs> counted = co_await trial.other().queue().dead(10);
    expect(counted.size() == 1 && counted[0].graph == "plan" && counted[0].count == 1, "dead runs of the graph");
}

// Longer than the store needs to notice the loss: else the wait for that would pass for the back-off.
task<void> a_lost_run_tries_again_after_a_while(service_store_under_test& trial)
{
    queue_rules rules{trial.service().documents()};
    const retry_rule patient{.first = trial.lifetime() * 4, .longest = trial.lifetime() * 4};
    co_await rules.set_retry("", patient);
    co_await fill_queue(trial.store(), "acme", 1);
    const worker_id lost = co_await trial.store().enter("lost", trial.lifetime());
    const std::vector<run_claim> first = co_await claim_up_to(trial, lost, 10);
    expect_equal(first.size(), 1, "claims");
    co_await trial.pass(trial.lifetime() + trial.lifetime() / 2);
    static_cast<void>(co_await trial.store().reap(10));
    const worker_id worker = co_await enter(trial.store());
    const std::vector<run_claim> none = co_await claim_up_to(trial, worker, 10);
    expect_equal(none.size(), 0, "claims before the moment");
    const std::optional<run_claim> resumed = co_await trial.store().resume(worker, first[0].fence.run);
    expect(!resumed, "it is not resumed before its moment either");
    co_await trial.pass(trial.lifetime() * 5);
    const std::vector<run_claim> second = co_await claim_up_to(trial, worker, 10);
    expect_equal(second.size(), 1, "claims at the moment");
    expect_equal(second[0].attempt, 2, "attempt");
}

// At once, where it is set: at a claim it would stop the queue.
task<void> a_bad_rule_is_refused(service_store_under_test& trial)
{
    queue_rules rules{trial.service().documents()};
    const queue_limit nothing{.active_max = 0};
    task<void> none = rules.set_limit(limit_scope::graph, "g", nothing);
    co_await expect_error(std::move(none), errc::invalid_configuration, "a limit of no run");
    const queue_limit one{.active_max = 1};
    task<void> nameless = rules.set_limit(limit_scope::key, "", one);
    co_await expect_error(std::move(nameless), errc::invalid_configuration, "a key without a name");
    task<void> weightless = rules.set_weight("acme", 0);
    co_await expect_error(std::move(weightless), errc::invalid_configuration, "a weight of 0");
    co_await rules.set_limit(limit_scope::key, "user", one);
    queue_rules others{trial.other().documents()};
    const std::vector<queue_rules::listed_rule> all = co_await others.list(10);
    expect_equal(all.size(), 1, "rules");
    expect(all[0].what == "key" && all[0].name == "user", "what a rule is about");
}

// What people look at first when nothing happens.
task<void> the_queue_is_shown(service_store_under_test& trial)
{
    co_await fill_queue(trial.store(), "acme", 3);
    const run_id unknown = co_await new_run_id();
    new_run run{thread_key{"u", "bold"}, unknown};
    run.graph_named("draw");
    run.revision = "7";
    static_cast<void>(co_await trial.store().enqueue(std::move(run)));
    queue_view& view = trial.other().queue();
    const std::vector<unclaimable_runs> all = co_await view.unclaimable(10);
    expect_equal(all.size(), 2, "kinds that no worker can run, without workers");
    worker_entry entry{"planner", long_lifetime};
    entry.graphs = {{"plan", ""}};
    const worker_id worker = co_await trial.store().enter(std::move(entry));
    worker_entry enters{"door", long_lifetime};
    enters.graphs = {{"draw", ""}, graph_ability::no_claims()};
    const worker_id door = co_await trial.store().enter(std::move(enters));
    const std::vector<run_claim> taken = co_await claim_up_to(trial, worker, 1);
    expect_equal(taken.size(), 1, "claims");
    const std::vector<unclaimable_runs> left = co_await view.unclaimable(10);
    expect_equal(left.size(), 1, "kinds that no worker can run");
    expect(left[0].graph == "draw" && left[0].revision == "7" && left[0].count == 1, "which one, and how many");
    const std::optional<run_record> record = co_await trial.store().find_run(unknown);
    expect(left[0].oldest == record->created, "since when it waits");
    const std::vector<queue_depth> depths = co_await view.depths(10);
    expect_equal(depths.size(), 3, "kinds of runs in the queue");
    expect(depths[0].tenant == "acme" && depths[0].phase == run_phase::ready && depths[0].count == 2, "ready runs");
    expect(depths[1].phase == run_phase::running && depths[1].count == 1, "runs under way");
    expect(depths[2].tenant == "bold" && depths[2].revision == "7", "of the other tenant");
    const std::vector<listed_worker> workers = co_await view.workers(10);
    expect(workers.size() == 2 && workers[0].id == door, "workers, the newest first");
    const listed_worker& planner = workers[1];
    expect(planner.id == worker && planner.name == "planner" && planner.is_alive, "who it is");
    expect(planner.runs == 1 && planner.graphs.size() == 1, "what it has and can run");
    expect(planner.seen >= planner.since && planner.since.time_since_epoch().count() > 0, "since when");
    const std::optional<run_claim> handed_on = co_await trial.store().resume(door, unknown);
    expect(handed_on.has_value(), "one that claims nothing takes a run by its id");
}

rate_claim claim_of(std::string rate, std::string holder, milliseconds calls, milliseconds tokens)
{
    rate_claim claim;
    claim.rate = std::move(rate);
    claim.holder = std::move(holder);
    claim.cost = {calls, tokens};
    return claim;
}

/** Whether a rate will be full in this span, less what has flowed in since the trial began. */
void expect_full_in(const rate_standing& standing, milliseconds calls, milliseconds tokens, std::string_view what)
{
    constexpr std::chrono::minutes passed_max{2};  // on a slow machine
    const auto is_about = [&](std::chrono::microseconds came, milliseconds wanted) {
        return came <= wanted && came > wanted - passed_max;
    };
    expect(is_about(standing.full_in.calls, calls) && is_about(standing.full_in.tokens, tokens), what);
}

// Spans of hours, so that what flows in meanwhile does not matter.
task<void> a_rate_is_shared_by_those_who_name_it(service_store_under_test& trial)
{
    using namespace std::chrono_literals;
    shared_rates& here = trial.service().rates();
    shared_rates& there = trial.other().rates();
    const rate_standing first = co_await here.claim(claim_of("a", "one", 1h, 2h));
    expect_full_in(first, 1h, 2h, "the first claim");
    expect(first.holders == 1 && first.paused <= 0s, "one process, and no pause");
    const rate_standing second = co_await there.claim(claim_of("a", "two", 3h, 0ms));
    expect_full_in(second, 4h, 2h, "a claim behind it");
    expect_equal(second.holders, 2u, "processes");
    const rate_standing other = co_await here.claim(claim_of("b", "one", 1h, 0ms));
    expect_full_in(other, 1h, 0ms, "another rate");
    rate_claim back = claim_of("a", "one", 0ms, 1h);
    back.back = {1h, 90h};
    const rate_standing third = co_await there.claim(std::move(back));
    expect_full_in(third, 3h, 1h, "what is given back makes a rate full and no fuller");
}

// A service that refuses one process would refuse the next one as well.
task<void> a_pause_of_one_holds_all(service_store_under_test& trial)
{
    using namespace std::chrono_literals;
    rate_claim refused = claim_of("p", "one", 0ms, 0ms);
    refused.pause = 5h;
    static_cast<void>(co_await trial.service().rates().claim(std::move(refused)));
    rate_claim shorter = claim_of("p", "two", 1h, 0ms);
    shorter.pause = 1h;
    const rate_standing behind = co_await trial.other().rates().claim(std::move(shorter));
    expect_full_in(behind, 6h, 5h, "a claim stands behind the pause");
    expect(behind.paused <= 5h && behind.paused > 4h, "the longer pause holds");
    const std::string name(store_limits::name_bytes_max + 1, 'x');
    task<rate_standing> too_long = trial.service().rates().claim(claim_of(name, "one", 0ms, 0ms));
    co_await expect_error(std::move(too_long), errc::limit_reached, "a name that is too long");
}

constexpr std::array<service_store_check, 12> rule_check_list{{
    WEFT_STORE_CHECK(tenants_are_served_by_weight),
    WEFT_STORE_CHECK(a_tenant_has_no_more_runs_under_way_than_its_limit),
    WEFT_STORE_CHECK(a_graph_has_no_more_runs_under_way_than_its_limit),
    WEFT_STORE_CHECK(a_key_has_no_more_runs_under_way_than_its_limit),
    WEFT_STORE_CHECK(what_is_lost_or_waits_leaves_its_limit),
    WEFT_STORE_CHECK(runs_begin_at_the_rate_of_their_limit),
    WEFT_STORE_CHECK(a_failed_run_tries_again_after_a_while),
    WEFT_STORE_CHECK(a_lost_run_tries_again_after_a_while),
    WEFT_STORE_CHECK(a_bad_rule_is_refused),
    WEFT_STORE_CHECK(the_queue_is_shown),
    WEFT_STORE_CHECK(a_rate_is_shared_by_those_who_name_it),
    WEFT_STORE_CHECK(a_pause_of_one_holds_all),
}};

}  // namespace

std::span<const service_store_check> queue_rule_checks() { return rule_check_list; }

}  // namespace weft::testing::store_trial
