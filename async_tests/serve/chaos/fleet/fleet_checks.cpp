#include "fleet_checks.hpp"

#include "fleet_course.hpp"

#include "durable/ledger.hpp"
#include "serve/chaos/stream_course.hpp"
#include "store/chaos/chain_checks.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/engine/checkpoint/checkpoint_reader.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

namespace fleet_chaos {

namespace {

/** Runs of the crowd that may begin while one of another tenant waits: those that have a place, those that were claimed
 *  for one, and the turns of the crowd. A queue without turns lets all begin that came before. */
constexpr std::size_t passed_by_max = 2 * workers * stream_chaos::places_of_a_worker + workers;

/** Each step counts once in the state, in its order. */
void check_states(weft::postgres_store& store, const std::vector<weft::thread_key>& threads,
                  std::vector<std::string>& wrong)
{
    boost::json::array steps;
    for (int i = 1; i <= stream_chaos::steps_of_a_run; ++i) steps.emplace_back("s" + std::to_string(i));
    for (const weft::thread_key& thread : threads) {
        const auto head = weft::run_blocking(store.load(thread, std::nullopt));
        if (!head) {
            wrong.push_back(thread.thread + " has no checkpoint");
            continue;
        }
        const boost::json::object state = weft::run_blocking(weft::read_state(store, thread, *head));
        const boost::json::value* const said = state.if_contains("said");
        if (!said || *said != steps) wrong.push_back(thread.thread + " ends with " + boost::json::serialize(state));
    }
}

/** What has happened outside of the store, in its order. */
struct noted_run {
    std::set<std::string> steps;
    std::set<std::string> effects;
    std::size_t calls = 0;
    std::size_t entered_at = 0;   // how many runs of the crowd had begun
    std::size_t began_at = 0;
};

}  // namespace

std::string check_fleet(const weft_tests::postgres_server& server, weft::postgres_store& store,
                        const std::vector<weft::thread_key>& threads, const std::string& ledger,
                        std::vector<std::string>& wrong)
{
    weft_chaos::check_chains(server, schema, threads.size(), wrong);
    check_states(store, threads, wrong);
    std::map<std::string, noted_run> noted;
    std::size_t crowd_begun = 0;
    std::size_t steps = 0;
    for (const std::vector<std::string>& line : weft_tests::read_ledger(ledger, 3)) {
        noted_run& run = noted[line.at(1)];
        if (line.at(0) == "entered") run.entered_at = crowd_begun;
        if (line.at(0) == "effect") run.effects.insert(line.at(2));
        if (line.at(0) == "effect") ++run.calls;
        if (line.at(0) != "step") continue;
        ++steps;
        if (run.steps.empty()) run.began_at = line.at(1).starts_with("crowd/") ? ++crowd_begun : crowd_begun;
        run.steps.insert(line.at(2));
    }
    std::size_t calls = 0;
    std::size_t longest = 0;
    for (const auto& [place, run] : noted) {
        calls += run.calls;
        if (run.effects.size() != 1) wrong.push_back(place + " has effects under " +
                                                     std::to_string(run.effects.size()) + " keys instead of one");
        if (run.steps.size() != static_cast<std::size_t>(stream_chaos::steps_of_a_run))
            wrong.push_back(place + " did " + std::to_string(run.steps.size()) + " steps");
        if (place.starts_with("crowd/") || run.began_at < run.entered_at) continue;
        const std::size_t passed_by = run.began_at - run.entered_at;
        longest = std::max(longest, passed_by);
        if (passed_by > passed_by_max)
            wrong.push_back(place + " waited while " + std::to_string(passed_by) + " runs of the crowd began");
    }
    if (noted.size() != threads.size()) wrong.push_back(std::to_string(noted.size()) + " runs did something");
    const std::size_t steps_once = threads.size() * static_cast<std::size_t>(stream_chaos::steps_of_a_run);
    return server.query(std::string{"SELECT count(*) FROM "} + schema + ".checkpoint") + " checkpoints, " +
           std::to_string(steps - std::min(steps, steps_once)) + " steps done again, " + std::to_string(calls) +
           " calls of " + std::to_string(threads.size()) + " effects, at most " + std::to_string(longest) +
           " runs of the crowd before one of another tenant";
}

}  // namespace fleet_chaos
