#include <weft/agent/host/entry_points.hpp>

#include <weft/async/scope.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>

#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

namespace weft {

/** An entry point with what it needs while it works. */
struct entry_points::way {
    way(serial_loop& loop, entry_point from, execution_stream_options options)
        : what{std::move(from)}, stream{loop, what.id, what.run, std::move(options)},
          news{make_counted<remote_signal>()}
    {
        if (what.timer && !what.timer->cron.empty()) cron.emplace(what.timer->cron);
    }

    entry_point what;
    std::optional<cron_schedule> cron;
    execution_stream stream;
    event_bus::subscription events = 0;
    intrusive_ptr<remote_signal> news;  // of a close
};

/** While it lives the entry points are at work, and hear events. */
class entry_points::at_work {
public:
    explicit at_work(entry_points& self) : self_{self}
    {
        self_.is_working_ = true;
        // Subscribed while the work goes on and no longer: the bus may outlive the entry points.
        for (const std::unique_ptr<way>& one : self_.ways_) {
            if (!one->what.events) continue;
            bus_filter wanted = *one->what.events;
            if (one->what.ignores_own_graph) wanted.other_than_graph = one->what.graph;
            event_bus::handler begins = [&own = self_, of = one.get()](bus_event event) {
                return begin_for(own, *of, std::move(event));
            };
            one->events = self_.options_.bus->subscribe(std::move(wanted), std::move(begins));
        }
    }
    ~at_work()
    {
        self_.is_working_ = false;
        for (const std::unique_ptr<way>& one : self_.ways_)
            if (one->events != 0) self_.options_.bus->unsubscribe(std::exchange(one->events, 0));
    }
    at_work(const at_work&) = delete;
    at_work& operator=(const at_work&) = delete;

private:
    entry_points& self_;
};

entry_points::entry_points(serial_loop& loop, entry_points_options options) : loop_{loop}, options_{options} {}

entry_points::~entry_points() = default;

void entry_points::check(const entry_point& what) const
{
    const auto refuse = [&](std::string detail) {
        throw error{errc::invalid_configuration, "entry point '" + what.id + "'", std::move(detail)};
    };
    if (is_working_) refuse("they are at work: add it before");
    if (what.id.empty()) refuse("it has no id");
    if (find(what.id)) refuse("it is there already");
    if (!what.request || !what.run) refuse("there is nothing to run: give `request` and `run`");
    if (what.timer && what.timer->cron.empty() && what.timer->interval.count() <= 0)
        refuse("its timer has neither cron nor interval");
    if (what.events && !options_.bus) refuse("it waits for events, and there is no bus: give one");
}

void entry_points::add(entry_point what)
{
    check(what);
    execution_stream_options options;
    options.bus = options_.bus;
    options.graph = what.graph;
    options.resurrections_max = what.resurrections_max;
    auto made = std::make_unique<way>(loop_, std::move(what), std::move(options));
    if (made->what.webhook) {
        made->what.webhook->entry_point = made->what.id;
        gate_.add(*made->what.webhook);
    }
    ways_.push_back(std::move(made));
}

entry_points::way* entry_points::find(std::string_view id) const noexcept
{
    const auto found = std::find_if(ways_.begin(), ways_.end(),
                                    [id](const std::unique_ptr<way>& one) { return one->what.id == id; });
    return found == ways_.end() ? nullptr : found->get();
}

const execution_stream* entry_points::stream_of(std::string_view id) const noexcept
{
    const way* const found = find(id);
    return found ? &found->stream : nullptr;
}

std::size_t entry_points::active() const noexcept
{
    return static_cast<std::size_t>(std::count_if(
        ways_.begin(), ways_.end(), [](const std::unique_ptr<way>& one) { return one->stream.is_active(); }));
}

std::size_t entry_points::stop_all()
{
    std::size_t stopped = 0;
    for (const std::unique_ptr<way>& one : ways_) stopped += one->stream.stop() ? 1 : 0;
    return stopped;
}

std::string entry_points::trigger(std::string_view id, boost::json::value payload, std::string_view key)
{
    way* const found = find(id);
    const std::string where = "entry point '" + std::string{id} + "'";
    if (!found) throw error{errc::invalid_configuration, where, "there is none of that id"};
    if (!is_working_ || is_closed_)
        throw error{errc::invalid_configuration, where, "entry points do not work yet, or no longer: run `work` first"};
    return begin(*found, "program", std::move(payload), key);
}

std::string entry_points::begin(way& through, std::string_view by, boost::json::value payload, std::string_view key)
{
    const std::string full_key = key.empty() ? std::string{} : through.what.id + "\n" + std::string{key};
    if (const auto known = runs_by_key_.find(full_key); !key.empty() && known != runs_by_key_.end())
        return known->second;
    if (!through.stream.is_active() && active() >= options_.executions_max)
        throw error{errc::limit_reached, "entry point '" + through.what.id + "'",
                    std::to_string(options_.executions_max) +
                        " entry points have a run: try later, or raise `executions_max`"};
    entry_call call;
    call.entry_point = through.what.id;
    call.by = by;
    call.payload = std::move(payload);
    std::string run = through.stream.execute(through.what.request(call));
    tell(through, "trigger_fired", by);
    if (!key.empty()) remember(full_key, run);
    return run;
}

void entry_points::remember(std::string key, std::string run)
{
    if (options_.keys_max == 0) return;
    // Bounded: a sender that comes back after so many other keys begins a second run.
    if (keys_.size() >= options_.keys_max) {
        runs_by_key_.erase(keys_.front());
        keys_.pop_front();
    }
    runs_by_key_.emplace(key, std::move(run));
    keys_.push_back(std::move(key));
}

webhook_answer entry_points::receive(const webhook_request& request)
{
    webhook_answer answer = gate_.receive(request);
    if (!answer.delivery) return answer;
    // 503, which senders try again, for what will pass; 400 for a payload that no later attempt makes right.
    if (!is_working_ || is_closed_) return refused_webhook(503, "not running");
    way& through = *find(answer.delivery->entry_point);
    try {
        const std::string run =
            begin(through, "webhook", answer.delivery->payload, answer.delivery->idempotency_key);
        answer.body.as_object()["execution"] = run;
        return answer;
    } catch (const error& e) {
        tell(through, "webhook_refused", e.what());
        return e.code() == errc::limit_reached ? refused_webhook(503, "too many runs")
                                               : refused_webhook(400, "payload refused");
    }
}

bool entry_points::is_quiet() const noexcept
{
    const time_point now = loop_.now();
    return std::all_of(ways_.begin(), ways_.end(), [&](const std::unique_ptr<way>& one) {
        if (one->stream.is_active()) return false;
        const std::optional<time_point> last = one->stream.last_end();
        return !last || now - *last >= options_.timers_wait;
    });
}

void entry_points::tick(way& of)
{
    if (are_timers_paused_) return;
    // A timer is for what may wait: it gives way to runs that a person or another system began.
    if (!is_quiet()) return tell(of, "trigger_skipped", "a run is under way, or has just ended");
    try {
        begin(of, "timer", boost::json::object{}, {});
    } catch (const error& e) {
        tell(of, "trigger_failed", e.what());
    }
}

/** @return False if the entry points were closed, or it is never due again. */
task<bool> entry_points::sleep_until_due(entry_points& self, way& of)
{
    using namespace std::chrono;
    if (!of.cron) {
        const time_point due = self.loop_.now() + of.what.timer->interval;
        while (!self.is_closed_ && self.loop_.now() < due) static_cast<void>(co_await of.news->wait_until(due));
        co_return !self.is_closed_;
    }
    constexpr nanoseconds longest = hours{1};  // the time of day may jump meanwhile
    const clock& time = self.loop_.clock();
    const std::optional<sys_seconds> due = of.cron->next(floor<seconds>(time.system_now()));
    if (!due) co_return false;
    while (!self.is_closed_ && time.system_now() < *due) {
        const auto left = std::min(longest, duration_cast<nanoseconds>(*due - time.system_now()));
        static_cast<void>(co_await of.news->wait_until(self.loop_.now() + left));
    }
    co_return !self.is_closed_;
}

task<void> entry_points::keep_time(entry_points& self, way& of)
{
    if (of.what.timer->runs_at_once) self.tick(of);
    for (;;) {
        const bool is_due = co_await sleep_until_due(self, of);
        if (!is_due) co_return;
        self.tick(of);
    }
}

task<void> entry_points::begin_for(entry_points& self, way& of, bus_event event)
{
    if (!self.is_closed_) self.begin(of, "event", std::move(event.data), {});
    co_return;
}

void entry_points::tell(const way& of, std::string type, std::string_view text) const
{
    if (!options_.bus) return;
    bus_event told{std::move(type), boost::json::object{{"text", boost::json::string_view{text}}}};
    told.stream = of.what.id;
    told.graph = of.what.graph;
    options_.bus->publish(std::move(told));
}

task<void> entry_points::work()
{
    const task_context& context = co_await this_task::context();
    scope children{context};
    const at_work mark{*this};
    for (const std::unique_ptr<way>& one : ways_) {
        children.spawn(one->stream.work());
        if (one->what.timer) children.spawn(keep_time(*this, *one));
    }
    co_await children.join();
}

void entry_points::close()
{
    is_closed_ = true;
    for (const std::unique_ptr<way>& one : ways_) {
        one->stream.close();
        one->news->notify();
    }
}

}  // namespace weft
