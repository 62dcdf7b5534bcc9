#include "chaos_course.hpp"

#include "durable/ledger.hpp"
#include "store/chaos/chain_checks.hpp"
#include "store/chaos/chaos_trouble.hpp"
#include "tool/own_directory.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/engine/checkpoint/checkpoint_reader.hpp>
#include <weft/store/postgres_store.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <iostream>
#include <map>
#include <memory>
#include <set>

namespace engine_chaos {

namespace {

constexpr const char* schema = "engine_chaos";

void enter_runs(weft::postgres_store& store, const chaos_course& course, weft::id_source& ids)
{
    for (int run = 0; run < course.runs; ++run)
        for (int thread = 0; thread < course.threads; ++thread) {
            weft::new_run entered{weft::thread_key{"thread " + std::to_string(thread)}, ids.next<weft::run_id>()};
            entered.graph_named(graph_name).on_busy(weft::busy_policy::queue).with_attempts_max(1'000);
            static_cast<void>(weft::run_blocking(store.enqueue(std::move(entered))));
        }
}

/** Each visit counts once in the state. */
void check_states(weft::postgres_store& store, const chaos_course& course, std::vector<std::string>& wrong)
{
    const std::int64_t rounds = course.runs * rounds_of_a_run;
    boost::json::object expected;
    expected["round"] = rounds;
    expected["visits"] = rounds * visits_of_a_round;
    for (int thread = 0; thread < course.threads; ++thread) {
        const weft::thread_key key{"thread " + std::to_string(thread)};
        const auto head = weft::run_blocking(store.load(key, std::nullopt));
        if (!head) {
            wrong.push_back(key.thread + " has no checkpoint");
            continue;
        }
        const boost::json::object state = weft::run_blocking(weft::read_state(store, key, *head));
        if (state != expected) wrong.push_back(key.thread + " ends with " + boost::json::serialize(state));
    }
}

/** Each effect has one key, which all of its calls had. */
void check_effects(const std::string& ledger, const chaos_course& course, std::vector<std::string>& wrong)
{
    std::map<std::string, std::set<std::string>> addresses;
    std::size_t calls = 0;
    for (const std::vector<std::string>& line : weft_tests::read_ledger(ledger, 3)) {
        addresses[line.at(1)].insert(line.at(2));
        ++calls;
    }
    const auto expected = static_cast<std::size_t>(course.threads * course.runs * rounds_of_a_run);
    std::cout << "  " << addresses.size() << " effects in " << calls << " calls\n";
    if (addresses.size() != expected)
        wrong.push_back(std::to_string(addresses.size()) + " effects instead of " + std::to_string(expected));
    for (const auto& [key, places] : addresses)
        if (places.size() != 1) wrong.push_back("the key " + key + " has several effects");
}

}  // namespace

std::vector<std::string> make_chaos(const chaos_course& course, std::uint64_t seed)
{
    const weft_tests::own_directory directory{"engine-chaos"};
    const std::string ledger = (directory.path() / "ledger").string();
    weft_tests::postgres_server::options synced;
    synced.is_synced = true;
    weft_tests::postgres_server server{synced};
    weft::random_source random{seed};
    weft::id_source ids{weft::real_clock(), random};
    weft::postgres_options options{server.connection()};
    options.schema = schema;
    options.connections = 1;
    const auto store = weft::run_blocking(weft::postgres_store::open(options));
    enter_runs(*store, course, ids);

    const auto words = [&](std::uint64_t) {
        return std::vector<std::string>{"--worker", server.connection(), schema, ledger};
    };
    const auto began = weft::real_clock().now();
    const auto elapsed = [&] { return weft::real_clock().now() - began; };
    const std::string unfinished = "SELECT count(*) FROM " + std::string{schema} + ".run WHERE phase < 4";
    std::string left = "all";
    std::string troubles;
    {
        weft_chaos::worker_pool workers{course.workers, words, seed};
        weft_chaos::trouble_maker trouble{server, workers, random, worker_lifetime};
        while (left != "0" && elapsed() < course.patience) {
            workers.fill();
            if (elapsed() < course.trouble || !trouble.has_made_each()) {
                trouble.make();
                trouble.kill_one();
            }
            weft_chaos::wait(std::chrono::milliseconds{100 + random.below(300)});
            left = server.query(unfinished);
        }
        troubles = trouble.text();
    }
    std::cout << "seed " << seed << ": " << troubles << "; "
              << server.query("SELECT count(*) FROM " + std::string{schema} + ".checkpoint") << " checkpoints in "
              << std::chrono::duration_cast<std::chrono::seconds>(elapsed()).count() << " s\n";
    std::vector<std::string> wrong;
    if (left != "0") wrong.push_back(left + " runs are not over");
    weft_chaos::check_chains(server, schema, static_cast<std::size_t>(course.threads * course.runs), wrong);
    check_states(*store, course, wrong);
    check_effects(ledger, course, wrong);
    return wrong;
}

}  // namespace engine_chaos
