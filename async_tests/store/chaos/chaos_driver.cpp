#include "chaos_plan.hpp"

#include "../postgres_server.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/base/random.hpp>
#include <weft/store/postgres_store.hpp>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <map>
#include <memory>
#include <set>

namespace weft_chaos {

namespace {

using namespace std::chrono_literals;

constexpr const char* schema = "chaos";

weft::task<void> nap(std::chrono::milliseconds span) { co_await weft::sleep_for(span); }

void wait(std::chrono::milliseconds span) { weft::run_blocking(nap(span)); }

/** The worker processes; a dead one is replaced. */
class worker_pool {
public:
    worker_pool(const chaos_plan& plan, std::string connection, std::uint64_t seed)
        : plan_{plan}, connection_{std::move(connection)}, seed_{seed},
          processes_(static_cast<std::size_t>(plan.workers), -1)
    {
    }
    ~worker_pool()
    {
        for (const pid_t process : processes_)
            if (process > 0) {
                ::kill(process, SIGKILL);
                ::waitpid(process, nullptr, 0);
            }
    }
    worker_pool(const worker_pool&) = delete;
    worker_pool& operator=(const worker_pool&) = delete;

    void fill()
    {
        for (pid_t& process : processes_) {
            if (process > 0 && ::waitpid(process, nullptr, WNOHANG) == process) process = -1;
            if (process < 0) process = start();
        }
    }
    void signal(std::size_t which, int what) const { ::kill(processes_[which], what); }

private:
    pid_t start()
    {
        const std::string seed = std::to_string(++seed_);
        const std::string steps = std::to_string(plan_.steps);
        const pid_t parent = ::getpid();
        const pid_t child = ::fork();
        if (child != 0) return child;
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(126);
        ::execl("/proc/self/exe", "postgres_chaos", "--worker", connection_.c_str(), schema, seed.c_str(),
                steps.c_str(), plan_.is_unfenced ? "unfenced" : "fenced", nullptr);
        ::_exit(127);
    }

    const chaos_plan& plan_;
    std::string connection_;
    std::uint64_t seed_;
    std::vector<pid_t> processes_;
};

struct trouble_count {
    int kills = 0;
    int stops = 0;
    int restarts = 0;
    int endings = 0;
};

void make_trouble(weft_tests::postgres_server& server, worker_pool& workers, const chaos_plan& plan,
                  weft::random_source& random, trouble_count& count)
{
    const auto which = static_cast<std::size_t>(random.below(static_cast<std::uint64_t>(plan.workers)));
    // Each kind once, then by chance.
    constexpr std::uint64_t first[] = {0, 8, 4, 9};
    const int so_far = count.kills + count.stops + count.restarts + count.endings;
    std::uint64_t dice = so_far < 4 ? first[so_far] : random.below(10);
    if (plan.is_unfenced) dice = 4;  // only who comes back can write what it should not
    if (dice < 4) {
        workers.signal(which, SIGKILL);
        ++count.kills;
    } else if (dice < 8) {
        workers.signal(which, SIGSTOP);
        wait(worker_lifetime + std::chrono::milliseconds{300 + random.below(1'000)});
        workers.signal(which, SIGCONT);
        ++count.stops;
    } else if (dice < 9 && count.restarts < 3) {
        server.restart_immediately();
        ++count.restarts;
    } else {
        static_cast<void>(server.end_connections());
        ++count.endings;
    }
}

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
    options.schema(schema).connections(1);
    const auto store = weft::run_blocking(weft::postgres_store::open(options));
    enter_runs(*store, plan, ids);

    trouble_count count;
    const auto began = weft::real_clock().now();
    const auto elapsed = [&] { return weft::real_clock().now() - began; };
    const std::string unfinished = "SELECT count(*) FROM chaos.run WHERE phase < 4";
    bool is_done = false;
    {
        worker_pool workers{plan, server.connection(), seed};
        while (!is_done && elapsed() < plan.patience) {
            workers.fill();
            if (elapsed() < plan.trouble) make_trouble(server, workers, plan, random, count);
            wait(std::chrono::milliseconds{100 + random.below(300)});
            is_done = server.query(unfinished) == "0";
        }
    }
    std::cout << "seed " << seed << ": " << count.kills << " kill -9, " << count.stops << " SIGSTOP, " << count.restarts
              << " crashes of PostgreSQL, " << count.endings << " times all connections ended; "
              << server.query("SELECT count(*) FROM chaos.checkpoint") << " checkpoints in "
              << std::chrono::duration_cast<std::chrono::seconds>(elapsed()).count() << " s\n";
    std::vector<std::string> wrong;
    if (!is_done) wrong.push_back(server.query(unfinished) + " runs are not over");
    const std::string odd = server.query("SELECT count(*) FROM chaos.run WHERE phase <> 4");
    if (odd != "0") wrong.push_back(odd + " runs have not finished");
    for (int thread = 0; thread < plan.threads; ++thread)
        check_thread(*store, plan, "thread " + std::to_string(thread), wrong);
    return wrong;
}

}  // namespace weft_chaos
