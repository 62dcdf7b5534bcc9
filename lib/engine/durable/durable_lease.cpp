#include "durable_impl.hpp"

#include <weft/async/wait/deadline.hpp>

#include <algorithm>
#include <utility>

namespace weft {

using namespace std::chrono_literals;

durable_engine::impl::impl(checkpoint_store& store, std::shared_ptr<const durable_graphs> graphs,
                           durable_options options)
    : store{store}, graphs{std::move(graphs)}, options{std::move(options)},
      held{this->options.lifetime(), this->options.heartbeat_every(), this->options.lifetime() / 10}
{
}

void durable_engine::impl::open(serial_loop& on)
{
    loop = &on;
    is_draining = false;
    is_open = true;
    if (!ids) ids.emplace(on.clock(), on.random());
    context_ = task_context{&on, &scope_};
    beating_ = beat();
    static_cast<void>(beating_.start(context_, [](void*) {}, nullptr));
    watching_ = watch_questions();
    static_cast<void>(watching_.start(context_, [](void*) {}, nullptr));
}

/** Nobody hears of this process any more. */
void durable_engine::impl::shut()
{
    is_open = false;
    beating_.reset();
    watching_.reset();
    worker = 0;
    held.drop();
    ring();
}

void durable_engine::impl::require_open() const
{
    if (is_open) return;
    throw error{errc::invalid_configuration, "durable_engine",
                "it is not open: co_await its open() before anything else, and nothing after its close()"};
}

task<void> durable_engine::impl::beat()
{
    for (;;) {
        const time_point now = loop->now();
        if (!is_alive()) {
            if (worker != 0) ask_soon(run_id{}, run_signal::cancel);
            worker = 0;
            co_await enter_once();
            continue;
        }
        if (now < held.next()) {
            co_await sleep_for(held.next() - now);
            continue;
        }
        co_await beat_once();
        co_await settle_doubtful();
        co_await give_back_orphans();
        if (!has_unknown_runs) continue;
        hurry();
        co_await be_sure(shared_from_this());
    }
}

namespace {

bool is_temporary(errc code) noexcept { return may_retry_after(code) || code == errc::timeout; }

}  // namespace

/** Becomes a worker under a new number, or waits a little. */
task<void> durable_engine::impl::enter_once()
{
    held.sent(loop->now());
    task<worker_id> call = with_deadline(store.enter(options.worker_name(), options.lifetime()), options.lifetime());
    store_answer<worker_id> answer = co_await answer_of(std::move(call));
    entering_failed = answer.error;
    if (answer) {
        worker = *answer.value;
        held.answered(true);
        ring();
        co_return;
    }
    if (!is_temporary(answer.code)) ring();
    co_await sleep_for(options.heartbeat_every() / 5);
}

task<void> durable_engine::impl::beat_once()
{
    const time_point now = loop->now();
    held.sent(now);
    task<heartbeat_report> call = with_deadline(store.heartbeat(worker, options.lifetime()), held.ends() - now);
    store_answer<heartbeat_report> answer = co_await answer_of(std::move(call));
    if (!answer) {
        held.failed(loop->now());
        co_return;
    }
    held.answered(answer.value->is_alive);
    for (const heartbeat_report::signalled& each : answer.value->signals) ask_soon(each.run, each.signal);
}

task<void> durable_engine::impl::give_back_orphans()
{
    while (!orphans.empty() && is_alive()) {
        task<write_state> call = store.yield(orphans.back());
        store_answer<write_state> answer = co_await answer_of(std::move(call));
        if (!answer && answer.may_retry()) co_return;
        orphans.pop_back();
    }
}

possible_claim::~possible_claim()
{
    durable_engine::impl& all = *owner_;
    all.claims.erase(std::find(all.claims.begin(), all.claims.end(), run_));
    if (!is_open_) return;
    if (run_.is_nil())
        all.has_unknown_runs = true;
    else
        all.doubtful.push_back({run_, is_stopped_, all.loop->now() + all.options.lifetime()});
}

/** Runs that we hold without knowing go to others. */
task<void> durable_engine::impl::settle_doubtful()
{
    for (std::size_t i = 0; i < doubtful.size() && is_alive();) {
        const doubtful_run one = doubtful[i];
        auto look = with_deadline(store.find_run(one.id), options.heartbeat_every());
        auto found = co_await answer_of(std::move(look));
        if (!found) co_return;
        const std::optional<run_record>& record = *found.value;
        const bool is_claimed = std::find(claims.begin(), claims.end(), one.id) != claims.end();
        const bool is_unknown =
            record && record->phase == run_phase::running && record->worker == worker && !is_claimed;
        if (is_unknown && one.is_stopped) {
            auto tell = with_deadline(store.signal(record->thread, run_signal::cancel), options.heartbeat_every());
            auto told = co_await answer_of(std::move(tell));
            if (!told) co_return;
        }
        if (is_unknown) orphans.push_back(write_fence{record->thread, one.id, record->epoch, 0});
        if (is_unknown || loop->now() >= one.until)
            doubtful.erase(doubtful.begin() + static_cast<std::ptrdiff_t>(i));
        else
            ++i;
    }
}

/** While we perhaps hold runs of which we do not know, those of the worker loop go on elsewhere from their next node:
 *  then we hold none and can leave. */
void durable_engine::impl::hurry()
{
    for (const std::shared_ptr<held_run>& each : runs) {
        if (!each->is_of_worker || each->is_yielding) continue;
        each->is_yielding = true;
        ask_soon(each->id, run_signal::pause);
    }
}

task<void> durable_engine::impl::be_worker(std::shared_ptr<impl> self)
{
    self->require_open();
    const time_point give_up = self->loop->now() + self->options.lifetime();
    while (!self->is_alive()) {
        const std::exception_ptr why = self->entering_failed;
        if (why && !is_temporary(code_of(why))) std::rethrow_exception(why);
        if (self->loop->now() >= give_up)
            throw error{errc::store_unavailable, "worker '" + self->options.worker_name() + "'",
                        "it could not enter the store in time" + (why ? ": " + text_of(why) : std::string{})};
        task<void> waiting = wait_for_news(self, 100ms);
        co_await std::move(waiting);
        self->require_open();
    }
}

void durable_engine::impl::ask_soon(run_id run, run_signal what)
{
    asked_.emplace_back(run, what);
    do_asked_soon();
}

void durable_engine::impl::do_asked_soon()
{
    if (!do_asked_.is_queued()) loop->defer(do_asked_);
}

/** Outside of any coroutine of this engine: what a run does when it ends may destroy the engine. */
void durable_engine::impl::do_asked()
{
    const std::shared_ptr<impl> kept = shared_from_this();
    const auto asked = std::exchange(asked_, {});
    auto learned = std::exchange(learned_, {});
    const auto too_long = std::exchange(parked_too_long_, {});
    const auto held_now = runs;
    for (const std::shared_ptr<held_run>& each : held_now) {
        for (learned_answer& one : learned)
            if (each->at_work && one.run == each->id)
                each->at_work->questions().learn_answer(one.address, std::move(one.value));
        for (const auto& [id, what] : asked)
            if (id.is_nil() || id == each->id) do_to(*each, id.is_nil() ? run_signal::none : what);
        const intrusive_ptr<weft::run> at_work = each->at_work;
        if (at_work && at_work->is_parked() && std::find(too_long.begin(), too_long.end(), each->id) != too_long.end())
            at_work->pause();
    }
}

/** @param what   None: it is lost. */
void durable_engine::impl::do_to(held_run& held, run_signal what)
{
    const intrusive_ptr<weft::run> at_work = held.at_work;
    if (what == run_signal::none) {
        failure lost;
        lost.code = errc::thread_lost;
        lost.message = "thread '" + held.thread.thread + "': " + std::string{describe(errc::thread_lost)} +
                       ": this process could not show in time that it lives";
        held.committer->lose();
        if (at_work) at_work->lose(std::make_shared<const failure>(std::move(lost)));
    } else if (at_work && what == run_signal::pause) {
        at_work->pause();
    } else if (at_work && what == run_signal::cancel) {
        at_work->cancel();
    }
}

void durable_engine::impl::ring()
{
    for (const intrusive_ptr<remote_signal>& each : listeners) each->notify();
}

task<void> durable_engine::impl::wait_for_news(std::shared_ptr<impl> self, std::chrono::nanoseconds at_most)
{
    const intrusive_ptr<remote_signal> mine{new remote_signal};
    struct listening {
        impl& of;
        const intrusive_ptr<remote_signal>& mine;
        ~listening() { std::erase(of.listeners, mine); }
    };
    self->listeners.push_back(mine);
    const listening registered{*self, mine};
    const std::optional<time_point> end = self->loop->now() + at_most;
    co_await mine->wait_until(end);
}

}  // namespace weft
