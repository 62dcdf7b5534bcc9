#include "protocol_world.hpp"

#include "protocol_process.hpp"

#include <array>
#include <sstream>

namespace protocol_world {

using weft::task;
using weft::write_state;

std::string chain_link::text() const
{
    return job + " " + std::to_string(step) + " " + nonce + " " + (previous.empty() ? "-" : previous);
}

chain_link chain_link::parse(const std::string& text)
{
    chain_link link;
    std::istringstream words{text};
    words >> link.job >> link.step >> link.nonce >> link.previous;
    if (link.previous == "-") link.previous.clear();
    return link;
}

std::string job::text() const { return key + " " + std::to_string(steps) + " " + std::to_string(asks_after); }

job job::parse(const weft::thread_key& thread, const std::string& text)
{
    job what;
    what.thread = thread;
    std::istringstream words{text};
    words >> what.key >> what.steps >> what.asks_after;
    return what;
}

task<std::vector<weft::run_claim>> watching_store::claim(weft::worker_id worker, std::size_t max)
{
    std::vector<weft::run_claim> claims = co_await inner().claim(worker, max);
    for (const weft::run_claim& each : claims) note_claim(each);
    co_return claims;
}

task<std::optional<weft::run_claim>> watching_store::resume(weft::worker_id worker, weft::run_id run)
{
    std::optional<weft::run_claim> claim = co_await inner().resume(worker, run);
    if (claim) note_claim(*claim);
    co_return claim;
}

task<write_state> watching_store::ask(weft::write_fence fence, weft::question_record question)
{
    const std::string address = question.address;
    const write_state state = co_await inner().ask(std::move(fence), std::move(question));
    if (state == write_state::ok) ++asked_[address];
    co_return state;
}

task<weft::answer_state> watching_store::answer(weft::thread_key thread, std::string address, std::string answer)
{
    const weft::answer_state state = co_await inner().answer(std::move(thread), address, std::move(answer));
    const bool is_accepted = state == weft::answer_state::accepted;
    if (is_accepted && ++answered_[address] > asked_[address]) note("a question that is answered twice: " + address);
    co_return state;
}

task<weft::commit_result> watching_store::commit(weft::write_fence fence, weft::checkpoint_draft draft)
{
    const chain_link link = chain_link::parse(draft.body);
    const weft::commit_result result = co_await inner().commit(fence, std::move(draft));
    if (result.state == write_state::ok) note_commit(fence, link);
    co_return result;
}

task<write_state> watching_store::finish(weft::write_fence fence, weft::run_outcome outcome)
{
    const bool is_end = weft::is_over(outcome.phase);
    const write_state state = co_await inner().finish(fence, std::move(outcome));
    if (state == write_state::ok && is_end) note_finish(fence);
    co_return state;
}

int watching_store::times_finished(const std::string& job) const
{
    const auto found = finished_.find(job);
    return found == finished_.end() ? 0 : found->second;
}

void watching_store::note_claim(const weft::run_claim& claim)
{
    watched_thread& thread = threads_[claim.fence.thread];
    if (claim.fence.epoch <= thread.epoch) note("a claim whose epoch is not greater than those before");
    thread.epoch = claim.fence.epoch;
    jobs_[claim.fence.run] = job::parse(claim.fence.thread, claim.input).key;
}

void watching_store::note_commit(const weft::write_fence& fence, const chain_link& link)
{
    watched_thread& thread = threads_[fence.thread];
    if (fence.epoch != thread.epoch) note("a commit by a holder that was superseded: " + link.text());
    if (link.previous != thread.newest.nonce)
        note("a link that does not follow the newest one: " + link.text() + " behind " + thread.newest.text());
    const int expected = link.job == thread.newest.job ? thread.newest.step + 1 : 1;
    if (link.step != expected) note("a step that is lost or done twice: " + link.text());
    thread.newest = link;
}

void watching_store::note_finish(const weft::write_fence& fence)
{
    const std::string& job = jobs_[fence.run];
    if (fence.epoch != threads_[fence.thread].epoch) note("an end by a holder that was superseded: " + job);
    if (++finished_[job] > 1) note("a job that is finished twice: " + job);
}

namespace {

weft::testing::store_faults storm_faults()
{
    weft::testing::store_faults faults;
    faults.lose_requests(0.03).lose_replies(0.04).deliver_late(0.05).be_full(0.01);
    return faults.delay_up_to(60ms);
}

class world {
public:
    world(std::uint64_t seed, weather how)
        : how_{how}, sim_{seed}, random_{seed * 2 + 1},
          store_{weft::hash_key{}, weft::store_model_options{.flaw = how.flaw}}
    {
        for (int i = 0; i < how.processes; ++i) add_process();
        add_process();  // the last one has no worker: it enters the jobs and answers questions
        for (int thread = 0; thread < how.threads; ++thread) {
            for (int i = 0; i < how.jobs_per_thread; ++i) {
                job what;
                what.key = "job" + std::to_string(jobs_.size());
                what.thread = weft::thread_key{"t" + std::to_string(thread)};
                what.steps = 2 + static_cast<int>(random_.below(4));
                what.asks_after = static_cast<int>(random_.below(static_cast<std::uint64_t>(what.steps)));
                jobs_.push_back(std::move(what));
            }
        }
    }

    report run()
    {
        weft::testing::simulation::root<void> weather_root{sim_, storm()};
        weft::testing::simulation::root<void> client_root{sim_, enter_jobs()};
        weft::testing::simulation::root<void> person_root{sim_, answer_jobs()};
        std::optional<std::chrono::nanoseconds> done_at;
        while (watch_.violations().empty()) {
            if (!done_at && is_done()) done_at = sim_.elapsed();
            // What is late gets the time to do its harm.
            if (done_at && sim_.elapsed() > std::max<std::chrono::nanoseconds>(*done_at + 5s, how_.storm)) break;
            if (sim_.elapsed() > how_.storm + how_.calm_max) watch_.note("jobs are left long after the storm");
            sim_.step();
        }
        result_.elapsed = sim_.elapsed();
        result_.answers = watch_.answers();
        for (const auto& each : processes_) result_.disturbed += each->store().disturbed();
        for (const auto& each : processes_) {
            if (each->has_failed()) watch_.note("a process that failed");
            each->kill();
        }
        check_chains();
        result_.violations = watch_.violations();
        return std::move(result_);
    }

private:
    void add_process()
    {
        processes_.push_back(std::make_unique<process>(sim_, watch_, random_.next(), how_.threads));
        processes_.back()->store().set_faults(storm_faults());
    }

    [[nodiscard]] bool is_done() const
    {
        for (const job& each : jobs_)
            if (watch_.times_finished(each.key) == 0) return false;
        return true;
    }

    task<void> enter_jobs()
    {
        for (const job& each : jobs_) {
            co_await weft::sleep_for(std::chrono::milliseconds{random_.below(4'000)});
            co_await processes_.back()->enter_job(each);
        }
    }

    task<void> answer_jobs()
    {
        const weft::task_context& context = co_await weft::this_task::context();
        weft::scope people{context};
        for (const job& each : jobs_) people.spawn(processes_.back()->answer_job(each));
        co_await people.join();
    }

    task<void> storm()
    {
        const auto workers = static_cast<std::uint64_t>(how_.processes);
        for (std::uint64_t i = 0; i < workers; ++i) processes_[i]->start();
        while (sim_.elapsed() < how_.storm) {
            co_await weft::sleep_for(std::chrono::milliseconds{200 + random_.below(4'000)});
            process& victim = *processes_[random_.below(workers)];
            co_await strike(victim);
        }
        for (const auto& each : processes_) each->store().set_faults(weft::testing::store_faults{});
        for (std::uint64_t i = 0; i < workers; ++i)
            if (!processes_[i]->is_alive()) processes_[i]->start();
    }

    task<void> strike(process& victim)
    {
        const std::uint64_t fate = random_.below(7);
        if (!victim.is_alive()) {
            victim.start();
        } else if (fate < 2) {
            ++result_.crashes;
            victim.kill();
            victim.store().restart();
        } else if (fate == 2) {
            ++result_.shut_downs;
            co_await victim.shut_down();
        } else {
            ++result_.pauses;
            victim.pause_until(sim_.clock().now() + std::chrono::milliseconds{random_.below(25'000)});
        }
    }

    void check_chains()
    {
        const weft::store_model end = store_.snapshot();
        for (const weft::thread_summary& thread : end.threads("", "", 1'000)) {
            const weft::history_page page{.count_max = 100'000};
            std::int64_t sequence = 0;
            std::int64_t epoch = 0;
            std::vector<weft::checkpoint_info> chain = end.history(thread.thread, page);
            for (auto each = chain.rbegin(); each != chain.rend(); ++each) {
                const bool follows = each->parent == sequence && each->sequence == sequence + 1;
                if (!follows) watch_.note("a hole in the chain of " + thread.thread.thread);
                if (each->epoch < epoch) watch_.note("an epoch that falls in the chain of " + thread.thread.thread);
                sequence = each->sequence;
                epoch = each->epoch;
                result_.log += end.load(thread.thread, sequence)->body + "\n";
            }
        }
    }

    weather how_;
    weft::testing::simulation sim_;
    weft::random_source random_;
    weft::memory_store store_;
    watching_store watch_{store_};
    std::vector<job> jobs_;
    std::vector<std::unique_ptr<process>> processes_;
    report result_;
};

}  // namespace

report run_world(std::uint64_t seed, weather how) { return world{seed, how}.run(); }

}  // namespace protocol_world
