#include "log_follower.hpp"

#include "run_history.hpp"
#include "serve_core.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/base/error.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace weft::serve_detail {

namespace {

using namespace std::chrono_literals;

/** How often the store is asked where its news do not tell what all processes do. */
constexpr auto look_without_news = 250ms;
/** A run that this process begins is as a rule executed here, and then the store need not be asked. */
constexpr auto own_patience = 20ms;
constexpr auto patience_after_failure = 500ms;
/** Runs of one thread that began since the last look. */
constexpr std::size_t new_runs_max = 32;

bool is_at_rest(const std::optional<run_record>& run)
{
    return !run || is_over(run->phase) || run->phase == run_phase::waiting;
}

}  // namespace

/** A run that is followed: by clients that hold it, or since its thread is. */
struct log_follower::followed_run {
    std::shared_ptr<run_feed> feed;
    std::size_t holders = 0;
    bool is_of_tape = false;
};

struct log_follower::followed_thread {
    thread_key thread;
    std::uint64_t name = 0;
    std::map<run_id, followed_run> runs;
    std::size_t holders = 0;           // 0: it is not followed any more
    std::size_t tapes = 0;             // of them
    run_id newest;                     // of those that the tape knows
    bool has_events = false;           // since the last look
    bool is_change = false;            // more than that
    time_point look_at{};
    const intrusive_ptr<remote_signal> heard = make_counted<remote_signal>();
};

bool log_follower::has_others() const
{
    store_news* const news = core_.stores.runs->news();
    return (news && news->reaches_others()) || core_.options.runs.streaming.in_one_process;
}

std::chrono::milliseconds log_follower::look_every() const
{
    const store_news* const news = core_.stores.runs->news();
    return news && news->is_complete() ? core_.options.runs.poll_every_with_news : look_without_news;
}

std::shared_ptr<void> log_follower::follow(const thread_key& thread, std::shared_ptr<run_feed> feed)
{
    const bool is_needed = !feed->is_closed() && (!feed->is_driven() || has_others());
    if (!is_needed || !children_) return nullptr;
    const thread_ptr of = begin(thread);
    const run_id id = feed->run();
    followed_run& run = of->runs[id];
    // Events of a run that this process has begun come from here, if it executes it.
    const bool may_be_ours = feed->is_driven();
    run.feed = std::move(feed);
    ++run.holders;
    const time_point first = core_.loop.now() + (may_be_ours ? time_point::duration{own_patience} : 0ns);
    of->look_at = of->holders == 1 ? first : std::min(of->look_at, first);
    of->heard->notify();
    return held(of, id);
}

std::shared_ptr<void> log_follower::follow_tape(const thread_key& thread, latest_run latest, run_id newest)
{
    if (!children_) return nullptr;
    const thread_ptr of = begin(thread);
    ++of->tapes;
    of->newest = newest;
    if (latest.feed) {
        const run_id id = latest.feed->run();
        followed_run& run = of->runs[id];
        run.feed = std::move(latest.feed);
        run.is_of_tape = true;
        // The tape has its rest already.
        if (latest.rest && !run.feed->is_closed()) run.feed->close(*latest.rest);
    }
    of->look_at = core_.loop.now();
    of->heard->notify();
    return held(of, std::nullopt);
}

log_follower::thread_ptr log_follower::begin(const thread_key& thread)
{
    hear();
    thread_ptr& of = threads_[thread];
    if (!of) {
        store_news* const news = core_.stores.runs->news();
        of = std::make_shared<followed_thread>();
        of->thread = thread;
        of->name = news ? news->name_of(thread) : 0;
        of->look_at = core_.loop.now() + look_every();
        heard_->want(of->name);
        by_name_.emplace(of->name, of);
        children_->spawn(attend(of));
    }
    ++of->holders;
    return of;
}

/** The store's news are wanted once there is something to follow: then its connection hears of events, too. */
void log_follower::hear()
{
    if (std::exchange(is_hearing_, true)) return;
    if (store_news* const news = core_.stores.runs->news())
        subscription_ = news->subscribe([heard = heard_](const store_notice& notice) { heard->add(notice); },
                                        store_news::interest::changes_and_events);
}

std::shared_ptr<void> log_follower::held(const thread_ptr& of, std::optional<run_id> run)
{
    return {of.get(), [self = std::weak_ptr{self_}, of, run](void*) {
                if (const auto alive = self.lock()) (*alive)->let_go(of, run);
            }};
}

void log_follower::let_go(const thread_ptr& of, std::optional<run_id> run)
{
    if (run) {
        const auto found = of->runs.find(*run);
        followed_run& left = found->second;
        const bool is_followed = --left.holders > 0 || left.is_of_tape;
        // What happens until it is followed again is missing.
        if (!is_followed && !left.feed->is_closed() && !left.feed->is_driven() && !left.feed->is_live())
            core_.feeds.forget(*run);
        if (!is_followed) of->runs.erase(found);
    } else if (--of->tapes == 0) {
        core_.tapes.forget(of->thread);
        std::erase_if(of->runs, [](const auto& each) { return each.second.holders == 0; });
        for (auto& [id, each] : of->runs) each.is_of_tape = false;
    }
    if (--of->holders > 0) return;
    heard_->unwant(of->name);
    const auto [first, last] = by_name_.equal_range(of->name);
    by_name_.erase(std::find_if(first, last, [&](const auto& each) { return each.second == of; }));
    threads_.erase(of->thread);
    of->heard->notify();
}

bool log_follower::tells_tape(const thread_key& thread, run_id run) const noexcept
{
    const auto of = threads_.find(thread);
    if (of == threads_.end()) return false;
    const auto found = of->second->runs.find(run);
    return found != of->second->runs.end() && found->second.is_of_tape;
}

void log_follower::look_again()
{
    for (const auto& [thread, of] : threads_) {
        of->look_at = core_.loop.now();
        of->heard->notify();
    }
}

task<void> log_follower::work()
{
    const task_context& context = co_await this_task::context();
    scope children{context, failure_policy::keep_going};
    struct closing {
        log_follower& self;
        ~closing()
        {
            self.children_ = nullptr;
            self.subscription_ = store_news::subscription{};
        }
    };
    const closing closes{*this};
    children_ = &children;
    for (;;) {
        co_await heard_->wait();
        for (const heard_threads::heard& each : heard_->take()) {
            const auto [first, last] = by_name_.equal_range(each.name);
            for (auto of = first; of != last; ++of) {
                of->second->has_events = true;
                of->second->is_change |= each.is_change;
                of->second->heard->notify();
            }
        }
    }
}

task<void> log_follower::attend(thread_ptr of)
{
    // Before the first wait the thread has no holder yet.
    do {
        static_cast<void>(co_await of->heard->wait_until(of->look_at));
        const bool is_due = core_.loop.now() >= of->look_at;
        const bool is_change = std::exchange(of->is_change, false) || is_due;
        if (is_due) of->look_at = core_.loop.now() + look_every();
        if (std::exchange(of->has_events, false) || is_change) {
            std::string problem;
            try {
                co_await look(of, is_change);
            } catch (const error& e) {
                if (e.code() == errc::cancelled) throw;
                if (!is_store_away(e.code())) problem = e.what();
                of->is_change = true;
                of->look_at = std::min(of->look_at, core_.loop.now() + patience_after_failure);
            }
            if (!problem.empty()) core_.tell_error("following thread " + of->thread.thread, problem);
        }
    } while (of->holders > 0);
}

task<void> log_follower::look(thread_ptr of, bool is_change)
{
    if (is_change && of->tapes > 0) co_await find_new_runs(of);
    std::vector<run_id> runs;
    for (const auto& [id, run] : of->runs) runs.push_back(id);
    for (const run_id id : runs) co_await look_at_run(of, id, is_change);
}

/** What the store says of the end comes before what the log says: an end that is known has all its events there. */
task<void> log_follower::look_at_run(thread_ptr of, run_id id, bool is_change)
{
    const auto found = of->runs.find(id);
    if (found == of->runs.end()) co_return;
    const std::shared_ptr<run_feed> feed = found->second.feed;
    const bool is_told_here = feed->is_live() && feed->is_driven();
    const bool may_go_on = feed->is_closed() && feed->ending()->phase == run_phase::waiting;
    if (is_told_here || (feed->is_closed() && !(may_go_on && is_change))) co_return;
    std::optional<run_record> record;
    if (is_change) {
        record = co_await core_.stores.runs->find_run(id);
        if (may_go_on && record && record->phase != run_phase::waiting) feed->reopen();
        if (feed->is_closed()) co_return;
    }
    if (!feed->is_live()) co_await read_on(core_, of->thread, feed);
    if (!is_change && feed->has_rested() && !feed->is_driven()) {
        record = co_await core_.stores.runs->find_run(id);
        co_await read_on(core_, of->thread, feed);
        is_change = true;
    }
    if (is_change) settle(*of, id, record);
}

/** Tells the end of a run that this loop does not drive. */
void log_follower::settle(followed_thread& of, run_id id, const std::optional<run_record>& record)
{
    const auto found = of.runs.find(id);
    if (found == of.runs.end()) return;
    const std::shared_ptr<run_feed> feed = found->second.feed;
    if (feed->is_closed() || feed->is_driven()) return;
    const bool rests = is_at_rest(record);
    // One that this process executes is given back by the worker loop first.
    const bool is_left = core_.is_draining && record && (!feed->is_live() || record->phase == run_phase::ready);
    if (!rests && !is_left) return;
    run_ending ending = record ? ending_of(*record) : run_ending{};
    ending.is_given_back = !rests;
    core_.news.end_logged(of.thread, id, std::move(ending));
}

task<void> log_follower::find_new_runs(thread_ptr of)
{
    run_query of_thread;
    of_thread.tenant = of->thread.tenant;
    of_thread.thread = of->thread.thread;
    of_thread.count_max = new_runs_max;
    const run_page page = co_await core_.stores.service->runs().search(std::move(of_thread));
    const auto known = std::find_if(page.runs.begin(), page.runs.end(),
                                    [&](const stored_run& each) { return each.id == of->newest; });
    // What is over has been told, and would be looked at for ever.
    std::erase_if(of->runs, [](const auto& each) {
        const run_feed& feed = *each.second.feed;
        return each.second.holders == 0 && feed.is_closed() && is_over(feed.ending()->phase);
    });
    for (auto run = known; run != page.runs.begin();) {
        --run;
        of->newest = run->id;
        const std::shared_ptr<run_feed> feed = core_.feeds.of(run->id);
        // From its first event on, unless this loop has, or had, them.
        const bool is_new = feed->last_id() == 0;
        const thread_tape* const tape = core_.tapes.find(of->thread);
        if (is_new && tape && tape->has(run->id)) continue;
        if (is_new) feed->set_whole();
        begin_log(core_, *feed, run->graph, 0);
        followed_run& followed = of->runs[run->id];
        followed.feed = feed;
        followed.is_of_tape = true;
    }
}

}  // namespace weft::serve_detail
