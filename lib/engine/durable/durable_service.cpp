#include <weft/engine/durable_service.hpp>

#include <weft/async/async_start.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/signal.hpp>
#include <weft/base/error.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <future>
#include <string>
#include <string_view>

namespace weft {

/** Requests of all loops. */
struct durable_service::counters {
    explicit counters(std::size_t most) noexcept : requests_max{most} {}
    const std::size_t requests_max;
    std::atomic<std::size_t> under_way{0};
};

/** What one loop has. It lives as long as the last request of its loop, whatever becomes of the service. */
struct durable_service::shard {
    shard(checkpoint_store& store, std::shared_ptr<const durable_graphs> graphs, const service_options& options,
         std::shared_ptr<counters> counted)
        : engine{store, std::move(graphs), options.engine}, shutdown{limits_of(options)}, counted{std::move(counted)}
    {
    }

    /** The stages wait for runs that were taken over. */
    static shutdown_limits limits_of(const service_options& options)
    {
        shutdown_limits limits = options.shutdown;
        limits.stage = std::max(limits.stage, limits.turns);
        return limits;
    }

    durable_engine engine;
    graceful_shutdown shutdown;
    std::shared_ptr<counters> counted;
    // Of the coroutine that takes over runs.
    weft::signal ending;
    weft::signal ended;
    bool is_working = false;
    bool is_ending = false;
};

namespace {

/** A request's place among those that are under way. */
class place {
public:
    place(std::atomic<std::size_t>& taken, std::size_t most) : taken_{taken}
    {
        // Taken before it is checked: two OS threads that come at once cannot both get the last place.
        const std::size_t before = taken_.fetch_add(1, std::memory_order_relaxed);
        if (before < most) return;
        taken_.fetch_sub(1, std::memory_order_relaxed);
        throw error{errc::limit_reached, "durable_service",
                    std::to_string(most) + " requests are under way (`requests_max`): try again later"};
    }
    place(const place&) = delete;
    place& operator=(const place&) = delete;
    ~place() { taken_.fetch_sub(1, std::memory_order_relaxed); }

private:
    std::atomic<std::size_t>& taken_;
};

[[noreturn]] void refuse()
{
    throw error{errc::cancelled, "durable_service", "it ends; another process takes the request"};
}

/** A turn of the loop's shutdown. @par Errors  `errc::cancelled` once that has begun. */
graceful_shutdown::turn admit(graceful_shutdown& to)
{
    std::optional<graceful_shutdown::turn> turn = to.admit();
    if (!turn) refuse();
    return std::move(*turn);
}

/** For what needs no turn. @par Errors  `errc::cancelled` once the shutdown has begun. */
void require_running(const graceful_shutdown& at)
{
    if (at.has_begun()) refuse();
}

void add_up(shutdown_report& all, const shutdown_report& one)
{
    all.paused_or_ended += one.paused_or_ended;
    all.stopped += one.stopped;
    all.left += one.left;
    for (const shutdown_report::stage& each : one.stages) {
        const auto same = std::find_if(all.stages.begin(), all.stages.end(),
                                       [&](const shutdown_report::stage& known) { return known.name == each.name; });
        if (same == all.stages.end()) {
            all.stages.push_back(each);
            continue;
        }
        same->elapsed = std::max(same->elapsed, each.elapsed);
        if (each.how <= same->how) continue;
        same->how = each.how;
        same->error = each.error;
    }
}

}  // namespace

task<run_result> durable_service::submit(std::shared_ptr<shard> self, durable_request request)
{
    const place counted{self->counted->under_way, self->counted->requests_max};
    const graceful_shutdown::turn turn = admit(self->shutdown);
    request.request = self->shutdown.guard(std::move(request.request));
    co_return co_await self->engine.run(std::move(request));
}

task<run_result> durable_service::follow(std::shared_ptr<shard> self, thread_key thread)
{
    const place counted{self->counted->under_way, self->counted->requests_max};
    require_running(self->shutdown);
    co_return co_await self->engine.follow(std::move(thread));
}

task<run_result> durable_service::resume(std::shared_ptr<shard> self, thread_key thread, question_answers answers)
{
    const place counted{self->counted->under_way, self->counted->requests_max};
    const graceful_shutdown::turn turn = admit(self->shutdown);
    run_request guarded = self->shutdown.guard(run_request{});
    co_return co_await self->engine.resume(std::move(thread), std::move(answers), std::move(guarded));
}

task<void> durable_service::answer(std::shared_ptr<shard> self, thread_key thread, question_answers answers)
{
    require_running(self->shutdown);
    co_await self->engine.answer(std::move(thread), std::move(answers));
}

task<void> durable_service::deliver_event(std::shared_ptr<shard> self, thread_key thread, std::string event,
                                          boost::json::value payload)
{
    require_running(self->shutdown);
    co_await self->engine.deliver_event(std::move(thread), std::move(event), std::move(payload));
}

task<std::vector<open_question>> durable_service::questions(std::shared_ptr<shard> self, thread_key thread)
{
    require_running(self->shutdown);
    co_return co_await self->engine.questions(std::move(thread));
}

task<bool> durable_service::pause(std::shared_ptr<shard> self, thread_key thread)
{
    require_running(self->shutdown);
    co_return co_await self->engine.pause(std::move(thread));
}

task<bool> durable_service::stop(std::shared_ptr<shard> self, thread_key thread)
{
    require_running(self->shutdown);
    co_return co_await self->engine.stop(std::move(thread));
}

/** What is done on each loop when the service begins and ends. */
struct service_steps {
    /** Takes over runs until the service ends, and stops those that are still under way then. */
    static task<void> take_over(std::shared_ptr<durable_service::shard> self)
    {
        const task_context& context = co_await this_task::context();
        scope workers{context, failure_policy::keep_going};
        workers.spawn(self->engine.work());
        while (!self->is_ending) co_await self->ending.wait();
        // What it took over goes on elsewhere; requests of callers are the shutdown's matter.
        workers.request_stop();
        co_await workers.join();
        self->is_working = false;
        self->ended.notify();
    }

    /** @param self   It outlives the task. */
    static task<void> end_take_over(durable_service::shard* self)
    {
        self->is_ending = true;
        self->ending.notify();
        while (self->is_working) co_await self->ended.wait();
    }

    static task<shutdown_report> close(std::shared_ptr<durable_service::shard> self)
    {
        const task_context& context = co_await this_task::context();
        // First, so that what pauses now is given back: it goes on in the next process without being asked.
        scope draining{context, failure_policy::keep_going};
        draining.spawn(self->engine.drain());
        // The shard has its stages, so that they must not have the shard.
        durable_service::shard* const shard = self.get();
        self->shutdown.add("runs", [shard] { return shard->engine.drain(); });
        self->shutdown.add("worker", [shard] { return end_take_over(shard); });
        self->shutdown.add("store", [shard] { return shard->engine.close(); });
        shutdown_report report = co_await self->shutdown.run();
        draining.request_stop();
        co_await draining.join();
        co_return report;
    }

    /** Lets go of a shard on its loop, where its timers are. */
    static task<void> drop(std::shared_ptr<durable_service::shard> last)
    {
        last.reset();
        co_return;
    }
};

durable_service::durable_service(checkpoint_store& store, std::shared_ptr<const durable_graphs> graphs,
                                 service_options options)
    : counters_{std::make_shared<counters>(options.requests_max)}, loops_{options.cores}
{
    std::vector<std::future<void>> opening;
    for (std::size_t i = 0; i < loops_.size(); ++i) {
        shards_.push_back(std::make_shared<shard>(store, graphs, options, counters_));
        opening.push_back(async_start(loops_.loop(i), shards_.back()->engine.open(), boost::asio::use_future));
    }
    std::exception_ptr failed;
    for (std::future<void>& each : opening) {
        try {
            each.get();
        } catch (...) {
            failed = std::current_exception();
        }
    }
    if (failed) {
        close();
        std::rethrow_exception(failed);
    }
    // After all have opened, so that no loop takes runs of one that failed.
    if (!options.takes_over) return;
    for (std::size_t i = 0; i < shards_.size(); ++i) {
        shards_[i]->is_working = true;
        async_start(loops_.loop(i), service_steps::take_over(shards_[i]), [](std::exception_ptr) {});
    }
}

durable_service::~durable_service()
{
    close();
    std::vector<std::future<void>> dropping;
    for (std::size_t i = 0; i < shards_.size(); ++i) {
        task<void> drop = service_steps::drop(std::move(shards_[i]));
        dropping.push_back(async_start(loops_.loop(i), std::move(drop), boost::asio::use_future));
    }
    for (std::future<void>& each : dropping) each.get();
}

durable_service::home durable_service::home_of(const thread_key& thread) const
{
    // A thread has one home in a process: its requests meet on one loop, without locks.
    const std::hash<std::string_view> hash;
    const std::size_t index = (hash(thread.tenant) * 31 + hash(thread.thread)) % shards_.size();
    return {&const_cast<runtime&>(loops_).loop(index), shards_[index]};
}

std::size_t durable_service::under_way() const noexcept
{
    return counters_->under_way.load(std::memory_order_relaxed);
}

shutdown_report durable_service::run_until_signal()
{
    boost::asio::io_context waiting{1};
    boost::asio::signal_set signals{waiting, SIGINT, SIGTERM};
    signals.async_wait([](const boost::system::error_code&, int) {});
    waiting.run();
    signals.clear();  // the next one does what it does by default
    return close();
}

shutdown_report durable_service::close()
{
    if (report_) return *report_;
    std::vector<std::future<shutdown_report>> closing;
    for (std::size_t i = 0; i < shards_.size(); ++i)
        closing.push_back(async_start(loops_.loop(i), service_steps::close(shards_[i]), boost::asio::use_future));
    report_.emplace();
    for (std::future<shutdown_report>& each : closing) add_up(*report_, each.get());
    return *report_;
}

}  // namespace weft
