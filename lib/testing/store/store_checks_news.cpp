#include "store_trial.hpp"

#include <weft/async/sleep.hpp>
#include <weft/async/wait/remote_signal.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>

namespace weft::testing::store_trial {

namespace {

using namespace std::chrono_literals;
using kind = store_notice::kind;

/** What another process hears of the store. */
class listening {
public:
    explicit listening(store_news& news)
        : news_{news}, subscription_{news.subscribe([log = log_](const store_notice& notice) { log->add(notice); })}
    {
    }

    /** Until a connection to other processes has been tried out. */
    task<void> open()
    {
        for (int i = 0; i < 500 && !news_.is_complete(); ++i) co_await sleep_for(10ms);
        expect(news_.is_complete(), "notices of all processes are heard soon");
        log_->clear();
    }

    /** Waits for a notice of this kind and thread. */
    task<void> hear(kind what, thread_key thread, where at = where::current())
    {
        serial_loop& loop = co_await this_task::loop();
        const time_point end = loop.now() + 10s;
        const std::uint64_t name = news_.name_of(thread);
        while (!log_->has(what, name)) {
            const bool is_news = co_await log_->arrived->wait_until(end);
            if (!is_news) fail("a notice about thread '" + thread.thread + "'", "nothing", "kind " + show(what), at);
        }
    }
    [[nodiscard]] bool has_heard(const thread_key& thread) const { return log_->is_named(news_.name_of(thread)); }
    void forget() { log_->clear(); }
    void end() { subscription_ = store_news::subscription{}; }

private:
    struct log {
        void add(const store_notice& notice)
        {
            {
                const std::lock_guard lock{mutex};
                notices.push_back(notice);
            }
            arrived->notify();
        }
        bool has(kind what, std::uint64_t thread)
        {
            const std::lock_guard lock{mutex};
            return std::any_of(notices.begin(), notices.end(), [&](const store_notice& each) {
                const bool is_meant = each.what == what && (each.thread == thread || each.thread == 0);
                return is_meant || each.what == kind::anything;
            });
        }
        bool is_named(std::uint64_t thread)
        {
            const std::lock_guard lock{mutex};
            return std::any_of(notices.begin(), notices.end(),
                               [&](const store_notice& each) { return each.thread == thread; });
        }
        void clear()
        {
            const std::lock_guard lock{mutex};
            notices.clear();
        }

        std::mutex mutex;
        std::vector<store_notice> notices;
        const intrusive_ptr<remote_signal> arrived = make_counted<remote_signal>();
    };

    store_news& news_;
    const std::shared_ptr<log> log_ = std::make_shared<log>();
    store_news::subscription subscription_;
};

task<void> enter_run(checkpoint_store& store, new_run run)
{
    static_cast<void>(co_await store.enqueue(std::move(run)));
}

// A worker that has to ask for work adds the time between two questions to each run.
task<void> a_run_that_is_entered_is_heard_of(store_under_test& trial)
{
    if (!trial.other().news()) co_return;
    listening other{*trial.other().news()};
    co_await other.open();
    static_cast<void>(co_await enqueue_ready(trial.store(), thread_key{"t"}));
    co_await other.hear(kind::run, thread_key{"t"});
    listening here{*trial.store().news()};
    static_cast<void>(co_await enqueue_ready(trial.store(), thread_key{"u"}));
    co_await here.hear(kind::run, thread_key{"u"});
}

// It lets the run behind it begin, and a client that waits stop to ask.
task<void> the_end_of_a_run_is_heard_of(store_under_test& trial)
{
    if (!trial.other().news()) co_return;
    listening other{*trial.other().news()};
    co_await other.open();
    const holder first = co_await hold(trial.store(), thread_key{"finished"});
    static_cast<void>(co_await trial.store().finish(first.fence, run_outcome{}));
    co_await other.hear(kind::run, thread_key{"finished"});
    const holder second = co_await hold(trial.store(), thread_key{"yielded"});
    static_cast<void>(co_await trial.store().yield(second.fence));
    co_await other.hear(kind::run, thread_key{"yielded"});
    const holder third = co_await hold(trial.store(), thread_key{"dropped"});
    static_cast<void>(co_await trial.store().drop(third.fence.thread));
    co_await other.hear(kind::run, thread_key{"dropped"});
    const holder fourth = co_await hold(trial.store(), thread_key{"left"});
    other.forget();
    co_await trial.store().leave(fourth.worker);
    co_await other.hear(kind::run, thread_key{"left"});
}

// Its runs are ready again: they should not wait for the next look.
task<void> the_loss_of_a_worker_is_heard_of(store_under_test& trial)
{
    if (!trial.other().news()) co_return;
    listening other{*trial.other().news()};
    co_await other.open();
    static_cast<void>(co_await hold_shortly(trial, thread_key{"t"}));
    co_await outlive(trial);
    other.forget();
    static_cast<void>(co_await trial.store().reap(10));
    co_await other.hear(kind::run, thread_key{"t"});
}

// A person has waited long enough: the run goes on at once.
task<void> an_answer_is_heard_of(store_under_test& trial)
{
    if (!trial.other().news()) co_return;
    listening other{*trial.other().news()};
    co_await other.open();
    const holder by = co_await hold(trial.store(), thread_key{"t"});
    question_record question("r/a#1", "{}");
    static_cast<void>(co_await trial.store().ask(by.fence, std::move(question)));
    static_cast<void>(co_await trial.store().answer(thread_key{"t"}, "r/a#1", "1"));
    co_await other.hear(kind::answer, thread_key{"t"});
}

// A cancel that waited for the next heartbeat would let a model go on to cost money.
task<void> a_signal_is_heard_of(store_under_test& trial)
{
    if (!trial.other().news()) co_return;
    listening other{*trial.other().news()};
    co_await other.open();
    static_cast<void>(co_await hold(trial.store(), thread_key{"t"}));
    static_cast<void>(co_await trial.store().signal(thread_key{"t"}, run_signal::cancel));
    co_await other.hear(kind::signal, thread_key{"t"});
    static_cast<void>(co_await hold(trial.store(), thread_key{"u"}));
    const run_id behind = co_await new_run_id();
    new_run next{thread_key{"u"}, behind};
    next.on_busy(busy_policy::replace);
    static_cast<void>(co_await trial.store().enqueue(std::move(next)));
    co_await other.hear(kind::signal, thread_key{"u"});
}

// Each notice makes all processes look: one for nothing costs as much as one for something.
task<void> what_changes_nothing_is_not_heard_of(store_under_test& trial)
{
    if (!trial.other().news()) co_return;
    checkpoint_store& store = trial.store();
    listening other{*trial.other().news()};
    co_await other.open();
    static_cast<void>(co_await store.signal(thread_key{"idle"}, run_signal::cancel));
    static_cast<void>(co_await store.answer(thread_key{"silent"}, "r/a#1", "1"));
    static_cast<void>(co_await store.drop(thread_key{"unknown"}));
    holder by = co_await hold(store, thread_key{"held"});
    by.fence.epoch += 1;
    static_cast<void>(co_await store.finish(by.fence, run_outcome{}));
    const run_id refused = co_await new_run_id();
    new_run behind{thread_key{"held"}, refused};
    static_cast<void>(co_await store.enqueue(std::move(behind)));
    static_cast<void>(co_await enqueue_ready(store, thread_key{"last"}));
    co_await other.hear(kind::run, thread_key{"last"});
    for (const char* name : {"idle", "silent", "unknown", "held"})
        expect(!other.has_heard(thread_key{name}), "no notice about thread '" + std::string{name} + "'");
}

// Notices are joined when there are many, and a name that is lost then is a run that waits.
task<void> no_thread_of_many_is_left_out(store_under_test& trial)
{
    if (!trial.other().news()) co_return;
    listening other{*trial.other().news()};
    co_await other.open();
    constexpr int count = 500;
    const task_context& context = co_await this_task::context();
    scope entering{context};
    for (int i = 0; i < count; ++i) {
        const run_id id = co_await new_run_id();
        entering.spawn(enter_run(trial.store(), new_run{thread_key{"t" + std::to_string(i)}, id}));
    }
    co_await entering.join();
    for (int i = 0; i < count; ++i) co_await other.hear(kind::run, thread_key{"t" + std::to_string(i)});
}

// Its owner is gone: a call would reach memory that has been freed.
task<void> a_subscription_that_has_ended_hears_nothing(store_under_test& trial)
{
    if (!trial.store().news()) co_return;
    listening first{*trial.store().news()};
    listening second{*trial.store().news()};
    first.end();
    static_cast<void>(co_await enqueue_ready(trial.store(), thread_key{"t"}));
    co_await second.hear(kind::run, thread_key{"t"});
    expect(!first.has_heard(thread_key{"t"}), "no notice after the end of a subscription");
}

// Time that passes writes nothing, so no notice tells of it; processes set a timer instead of asking again and again.
task<void> it_is_known_when_something_is_due(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    if (!store.news()) co_return;
    const store_news& here = *store.news();
    const store_news& there = *trial.other().news();
    const auto nothing = co_await here.next_due();
    expect(!nothing, "an empty store waits for nothing");
    const worker_id worker = co_await enter(store);
    const auto lifetime = co_await there.next_due();
    expect(lifetime && *lifetime <= long_lifetime && *lifetime > long_lifetime - 1min, "the lifetime of a worker");
    const run_id id = co_await new_run_id();
    const serial_loop& loop = co_await this_task::loop();
    new_run run{thread_key{"t"}, id};
    run.not_before = loop.clock().system_now() + trial.lifetime();
    static_cast<void>(co_await store.enqueue(std::move(run)));
    const auto moment = co_await there.next_due();
    expect(moment && *moment <= trial.lifetime() + 1s, "the moment of a run");
    co_await trial.pass(*moment + 20ms);
    const auto due = co_await here.next_due();
    expect(due && *due == 0ms, "a moment that has come");
    const std::vector<run_claim> claims = co_await store.claim(worker, 1);
    expect_equal(claims.size(), 1, "claims of what is due");
    const auto after = co_await here.next_due();
    expect(after && *after > 1min, "a run that was taken is due no more");
}

constexpr std::array<store_check, 9> news_check_list{{
    WEFT_STORE_CHECK(a_run_that_is_entered_is_heard_of),
    WEFT_STORE_CHECK(the_end_of_a_run_is_heard_of),
    WEFT_STORE_CHECK(the_loss_of_a_worker_is_heard_of),
    WEFT_STORE_CHECK(an_answer_is_heard_of),
    WEFT_STORE_CHECK(a_signal_is_heard_of),
    WEFT_STORE_CHECK(what_changes_nothing_is_not_heard_of),
    WEFT_STORE_CHECK(no_thread_of_many_is_left_out),
    WEFT_STORE_CHECK(a_subscription_that_has_ended_hears_nothing),
    WEFT_STORE_CHECK(it_is_known_when_something_is_due),
}};

}  // namespace

std::span<const store_check> news_checks() { return news_check_list; }

}  // namespace weft::testing::store_trial
