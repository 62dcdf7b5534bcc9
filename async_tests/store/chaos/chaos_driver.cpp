#include "chaos_plan.hpp"
#include "chaos_trouble.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/base/error.hpp>
#include <weft/base/random.hpp>
#include <weft/store/postgres_store.hpp>

#include <iostream>
#include <map>
#include <memory>
#include <set>

namespace weft_chaos {

namespace {

constexpr const char* schema = "chaos";

void enter_runs(weft::postgres_store& store, const chaos_plan& plan, weft::id_source& ids)
{
    for (int run = 0; run < plan.runs; ++run)
        for (int thread = 0; thread < plan.threads; ++thread) {
            weft::new_run entered{weft::thread_key{"thread " + std::to_string(thread)}, ids.next<weft::run_id>()};
            entered.on_busy(weft::busy_policy::queue).with_attempts_max(1'000);
            static_cast<void>(weft::run_blocking(store.enqueue(std::move(entered))));
        }
}

/** Looks at the chain of one thread. */
void check_thread(weft::postgres_store& store, const chaos_plan& plan, const std::string& name,
                  std::vector<std::string>& wrong)
{
    const weft::thread_key thread{name};
    const auto head = weft::run_blocking(store.load(thread, std::nullopt));
    const std::int64_t count = head ? head->sequence : 0;
    const auto note = [&](std::int64_t sequence, const std::string& what) {
        wrong.push_back(name + ", checkpoint " + std::to_string(sequence) + ": " + what);
    };
    if (count != std::int64_t{plan.runs} * plan.steps) note(count, "is the last one");
    chain_link last;
    std::int64_t epoch = 0;
    std::set<std::string> runs;
    for (std::int64_t sequence = 1; sequence <= count; ++sequence) {
        const auto found = weft::run_blocking(store.load(thread, sequence));
        if (!found) {
            note(sequence, "is missing");
            continue;
        }
        const chain_link link = chain_link::parse(found->body);
        if (found->parent != sequence - 1) note(sequence, "has the parent " + std::to_string(found->parent));
        if (found->epoch < epoch) note(sequence, "has an older epoch than the one before");
        if (link.previous != last.link) note(sequence, "does not follow from the state before");
        const bool begins = link.run != last.run;
        if (link.step != (begins ? 1 : last.step + 1)) note(sequence, "is step " + std::to_string(link.step));
        if (begins && !runs.insert(link.run).second) note(sequence, "returns to a run that was over");
        last = link;
        epoch = found->epoch;
    }
}

}  // namespace

std::vector<std::string> make_chaos(const chaos_plan& plan, std::uint64_t seed)
{
    weft_tests::postgres_server::options synced;
    synced.is_synced = true;
    weft_tests::postgres_server server{synced};
    weft::random_source random{seed};
    weft::id_source ids{weft::real_clock(), random};
    weft::postgres_options options{server.connection()};
    options.schema = schema;
    options.connections = 1;
    const auto store = weft::run_blocking(weft::postgres_store::open(options));
    enter_runs(*store, plan, ids);

    const auto words = [&](std::uint64_t number) {
        return std::vector<std::string>{"--worker", server.connection(), schema, std::to_string(number),
                                        std::to_string(plan.steps), plan.is_unfenced ? "unfenced" : "fenced"};
    };
    std::string troubles;
    const auto began = weft::real_clock().now();
    const auto elapsed = [&] { return weft::real_clock().now() - began; };
    const std::string unfinished = "SELECT count(*) FROM chaos.run WHERE phase < 4";
    bool is_done = false;
    {
        worker_pool workers{plan.workers, words, seed};
        trouble_maker trouble{server, workers, random, worker_lifetime};
        while (!is_done && elapsed() < plan.patience) {
            workers.fill();
            // So long that its runs are taken over, and so short that they are not over.
            const std::chrono::milliseconds soon{200 + random.below(200)};
            if (elapsed() < plan.trouble && plan.is_unfenced) trouble.stop_one(soon);
            else if (!plan.is_unfenced && (elapsed() < plan.trouble || !trouble.has_made_each())) trouble.make();
            wait(std::chrono::milliseconds{100 + random.below(300)});
            is_done = server.query(unfinished) == "0";
        }
        troubles = trouble.text();
    }
    std::cout << "seed " << seed << ": " << troubles << "; "
              << server.query("SELECT count(*) FROM chaos.checkpoint") << " checkpoints in "
              << std::chrono::duration_cast<std::chrono::seconds>(elapsed()).count() << " s\n";
    std::vector<std::string> wrong;
    if (!is_done) {
        wrong.push_back(server.query(unfinished) + " runs are not over");
        wrong.push_back(server.query(
            "SELECT string_agg(concat_ws(' ', 'thread', t.name, 'phase', r.phase, 'attempt', r.attempt, 'worker',"
            " r.worker, 'given up', w.is_given_up, 'late by', now() - w.until, 'active', t.active = r.id, 'held',"
            " t.holder = r.id), '; ')"
            " FROM chaos.run r JOIN chaos.thread t ON t.no = r.thread LEFT JOIN chaos.worker w ON w.id = r.worker"
            " WHERE r.phase < 4"));
    }
    const std::string odd = server.query("SELECT count(*) FROM chaos.run WHERE phase <> 4");
    if (odd != "0") wrong.push_back(odd + " runs have not finished");
    for (int thread = 0; thread < plan.threads; ++thread)
        check_thread(*store, plan, "thread " + std::to_string(thread), wrong);
    return wrong;
}

}  // namespace weft_chaos
