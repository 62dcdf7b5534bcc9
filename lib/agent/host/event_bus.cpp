#include <weft/agent/host/event_bus.hpp>

#include <weft/async/scope.hpp>
#include <weft/base/error.hpp>

#include <algorithm>
#include <exception>

namespace weft {

namespace {

bool is_wanted(const std::string& wanted, const std::string& found) noexcept
{
    return wanted.empty() || wanted == found;
}

}  // namespace

bool bus_filter::matches(const bus_event& event) const noexcept
{
    if (!types.empty() && std::find(types.begin(), types.end(), event.type) == types.end()) return false;
    if (!other_than_graph.empty() && other_than_graph == event.graph) return false;
    return is_wanted(stream, event.stream) && is_wanted(execution, event.execution) &&
           is_wanted(graph, event.graph) && is_wanted(node, event.node);
}

struct event_bus::subscriber {
    subscription id = 0;
    bus_filter which;
    handler work;
    std::deque<bus_event> events;
    std::uint64_t missed = 0;  // since its last event
    bool is_busy = false;
};

/** A waiter of `wait_for`. Takes itself off the list. */
struct event_bus::waiting {
    waiting(event_bus& owner, const bus_filter& filter)
        : bus{owner}, which{filter}, arrived{make_counted<remote_signal>()}
    {
        const std::lock_guard lock{bus.mutex_};
        bus.check_room();
        bus.waits_.push_back(this);
    }
    ~waiting()
    {
        const std::lock_guard lock{bus.mutex_};
        std::erase(bus.waits_, this);
    }
    waiting(const waiting&) = delete;
    waiting& operator=(const waiting&) = delete;

    event_bus& bus;
    const bus_filter& which;
    intrusive_ptr<remote_signal> arrived;
    std::optional<bus_event> found;  // behind the bus's mutex
};

/** While it lives its subscriber is at work. */
class event_bus::busy_mark {
public:
    busy_mark(event_bus& bus, std::shared_ptr<subscriber> who) noexcept : bus_{bus}, who_{std::move(who)} {}
    ~busy_mark()
    {
        {
            const std::lock_guard lock{bus_.mutex_};
            who_->is_busy = false;
        }
        bus_.news_->notify();
    }
    busy_mark(const busy_mark&) = delete;
    busy_mark& operator=(const busy_mark&) = delete;

    [[nodiscard]] subscriber& who() const noexcept { return *who_; }

private:
    event_bus& bus_;
    std::shared_ptr<subscriber> who_;
};

/** An event on its way to a handler. */
struct event_bus::job {
    job() {}
    std::unique_ptr<busy_mark> mark{};
    bus_event event{};
};

event_bus::event_bus(event_bus_limits limits, const clock& time)
    : limits_{limits}, time_{time}, news_{make_counted<remote_signal>()}
{
    limits_.handlers_max = std::max<std::size_t>(limits_.handlers_max, 1);
    limits_.waiting_max = std::max<std::size_t>(limits_.waiting_max, 1);
}

event_bus::~event_bus() = default;

void event_bus::check_room() const
{
    if (subscribers_.size() + waits_.size() >= limits_.subscribers_max)
        throw error{errc::limit_reached, "event bus",
                    "it has " + std::to_string(limits_.subscribers_max) +
                        " subscribers: raise `subscribers_max`, or unsubscribe"};
}

void event_bus::publish(bus_event event)
{
    using std::chrono::milliseconds;
    const auto now = time_.system_now().time_since_epoch();
    const std::lock_guard lock{mutex_};
    if (is_closed_) return;
    event.sequence = ++counts_.published;
    event.at = std::chrono::duration_cast<milliseconds>(now).count();
    event.missed = 0;
    for (waiting* const one : waits_) {
        if (one->found || !one->which.matches(event)) continue;
        one->found = event;
        one->arrived->notify();
    }
    bool is_news = false;
    for (const std::shared_ptr<subscriber>& one : subscribers_) {
        if (!one->which.matches(event)) continue;
        if (one->events.size() >= limits_.waiting_max) {
            one->events.pop_front();
            ++one->missed;
            ++counts_.missed;
        }
        one->events.push_back(event);
        is_news = true;
    }
    if (limits_.history_max > 0) {
        if (history_.size() >= limits_.history_max) history_.pop_front();
        history_.push_back(std::move(event));
    }
    if (is_news) news_->notify();
}

event_bus::subscription event_bus::subscribe(bus_filter which, handler what)
{
    auto made = std::make_shared<subscriber>();
    made->which = std::move(which);
    made->work = std::move(what);
    const std::lock_guard lock{mutex_};
    check_room();
    made->id = ++last_id_;
    subscribers_.push_back(made);
    return made->id;
}

bool event_bus::unsubscribe(subscription which)
{
    const std::lock_guard lock{mutex_};
    const auto found = std::find_if(subscribers_.begin(), subscribers_.end(),
                                    [&](const std::shared_ptr<subscriber>& one) { return one->id == which; });
    if (found == subscribers_.end()) return false;
    subscribers_.erase(found);
    return true;
}

task<std::optional<bus_event>> event_bus::wait_for(bus_filter which, std::chrono::nanoseconds timeout)
{
    const task_context& context = co_await this_task::context();
    const time_point deadline = context.loop->now() + timeout;
    waiting self{*this, which};
    const bool came = co_await self.arrived->wait_until(deadline);
    if (!came) co_return std::nullopt;
    const std::lock_guard lock{mutex_};
    co_return std::move(self.found);
}

std::vector<bus_event> event_bus::history(const bus_filter& which, std::size_t limit) const
{
    std::vector<bus_event> found;
    const std::lock_guard lock{mutex_};
    for (auto at = history_.rbegin(); at != history_.rend() && found.size() < limit; ++at)
        if (which.matches(*at)) found.push_back(*at);
    return found;
}

std::optional<event_bus::job> event_bus::next_job()
{
    const std::lock_guard lock{mutex_};
    for (std::size_t i = 0; i < subscribers_.size(); ++i) {
        const std::size_t at = (next_ + i) % subscribers_.size();
        const std::shared_ptr<subscriber>& who = subscribers_[at];
        if (who->is_busy || who->events.empty()) continue;
        next_ = at + 1;
        job found;
        found.mark = std::make_unique<busy_mark>(*this, who);
        found.event = std::move(who->events.front());
        who->events.pop_front();
        found.event.missed = std::exchange(who->missed, 0);
        who->is_busy = true;
        return found;
    }
    return std::nullopt;
}

void event_bus::start_handlers(scope& handlers)
{
    while (handlers.running() < limits_.handlers_max) {
        std::optional<job> next = next_job();
        if (!next) return;
        handlers.spawn(handle(*this, std::move(*next)));
    }
}

bool event_bus::is_finished() const
{
    const std::lock_guard lock{mutex_};
    if (!is_closed_) return false;
    return std::all_of(subscribers_.begin(), subscribers_.end(),
                       [](const std::shared_ptr<subscriber>& one) { return one->events.empty(); });
}

task<void> event_bus::handle(event_bus& bus, job what)
{
    const task_context& context = co_await this_task::context();
    std::string failure;
    try {
        task<void> work = what.mark->who().work(std::move(what.event));
        co_await std::move(work);
    } catch (const std::exception& e) {
        if (context.scope->stop_requested()) throw;
        failure = e.what();
        if (failure.empty()) failure = "an exception without words";
    } catch (...) {
        if (context.scope->stop_requested()) throw;
        failure = "an exception of a type that says nothing";
    }
    if (!failure.empty()) bus.note_failure(std::move(failure));
}

void event_bus::note_failure(std::string why)
{
    const std::lock_guard lock{mutex_};
    ++counts_.failed;
    counts_.last_failure = std::move(why);
}

task<void> event_bus::deliver()
{
    const task_context& context = co_await this_task::context();
    scope handlers{context, failure_policy::keep_going};
    for (;;) {
        start_handlers(handlers);
        if (is_finished()) break;
        bool is_stopped = false;
        try {
            co_await news_->wait();
        } catch (const error&) {
            is_stopped = true;
        }
        if (is_stopped) break;
    }
    co_await handlers.join();
    if (context.scope->stop_requested()) throw error{errc::cancelled, "event bus", "it was stopped"};
}

void event_bus::close()
{
    {
        const std::lock_guard lock{mutex_};
        is_closed_ = true;
    }
    news_->notify();
}

event_bus_counts event_bus::counts() const
{
    const std::lock_guard lock{mutex_};
    return counts_;
}

}  // namespace weft
