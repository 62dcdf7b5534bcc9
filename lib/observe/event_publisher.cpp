#include <weft/observe/event_publisher.hpp>

#include <weft/base/error.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace weft {

struct event_publisher::part {
    part(std::unique_ptr<event_delivery> to, publisher_options how)
        : delivery{std::move(to)}, options{std::move(how)}
    {
    }

    void drop_for(std::size_t size);
    [[nodiscard]] std::vector<std::string> take();
    void work(const std::stop_token& stop);
    void deliver(const std::vector<std::string>& batch, const std::stop_token& stop);

    std::unique_ptr<event_delivery> delivery;
    publisher_options options;
    mutable std::mutex lock;
    std::mutex joining;  // of those who close it
    std::condition_variable_any news;   // something to deliver, or the end
    std::condition_variable_any empty;  // nothing waits or is under way
    std::deque<std::string> queue;
    std::size_t queue_bytes = 0;
    std::size_t under_way = 0;
    bool is_closed = false;
    publisher_counts counts;
    std::jthread worker;
};

/** Makes room for an event; with the lock held. */
void event_publisher::part::drop_for(std::size_t size)
{
    while (!queue.empty() && (queue.size() >= options.queue_max || queue_bytes + size > options.queue_bytes_max)) {
        queue_bytes -= queue.front().size();
        queue.pop_front();
        ++counts.dropped;
    }
}

/** The next events to deliver; with the lock held. */
std::vector<std::string> event_publisher::part::take()
{
    std::vector<std::string> batch;
    while (!queue.empty() && batch.size() < options.batch_max) {
        queue_bytes -= queue.front().size();
        batch.push_back(std::move(queue.front()));
        queue.pop_front();
    }
    under_way = batch.size();
    return batch;
}

void event_publisher::part::deliver(const std::vector<std::string>& batch, const std::stop_token& stop)
{
    for (int attempt = 1;; ++attempt) {
        std::string failed;
        errc code{};
        try {
            delivery->deliver(batch, stop);
        } catch (...) {
            failed = text_of(std::current_exception());
            code = code_of(std::current_exception());
        }
        std::unique_lock held{lock};
        if (failed.empty()) {
            counts.delivered += batch.size();
            return;
        }
        counts.last_error = std::move(failed);
        if (stop.stop_requested() || !options.retry.retries_after(attempt, code)) {
            counts.failed += batch.size();
            return;
        }
        news.wait_for(held, stop, options.retry.delay_before(attempt + 1, 0.5), [] { return false; });
    }
}

void event_publisher::part::work(const std::stop_token& stop)
{
    for (;;) {
        std::vector<std::string> batch;
        {
            std::unique_lock held{lock};
            under_way = 0;
            if (queue.empty()) empty.notify_all();
            news.wait(held, stop, [this] { return !queue.empty() || is_closed; });
            if (stop.stop_requested() || queue.empty()) break;
            batch = take();
        }
        deliver(batch, stop);
    }
    const std::lock_guard held{lock};
    counts.failed += queue.size();
    queue.clear();
    queue_bytes = 0;
    under_way = 0;
    empty.notify_all();
}

namespace {

publisher_options checked(publisher_options options)
{
    std::string wrong;
    if (options.queue_max == 0) wrong = "queue_max must be at least 1";
    if (options.batch_max == 0) wrong.append(wrong.empty() ? "" : "; ").append("batch_max must be at least 1");
    if (!wrong.empty()) throw error{errc::invalid_configuration, "publisher_options", std::move(wrong)};
    return options;
}

}  // namespace

event_publisher::event_publisher(std::unique_ptr<event_delivery> delivery, publisher_options options)
    : part_{std::make_unique<part>(std::move(delivery), checked(std::move(options)))}
{
    part_->worker = std::jthread{[of = part_.get()](const std::stop_token& stop) { of->work(stop); }};
}

event_publisher::~event_publisher() { close(std::chrono::nanoseconds{0}); }

std::string_view event_publisher::label() const noexcept { return part_->delivery->label(); }

void event_publisher::publish(std::string event)
{
    {
        const std::lock_guard held{part_->lock};
        if (part_->is_closed)
            throw error{errc::stream_closed, std::string{label()}, "Cannot publish to closed " + std::string{label()}};
        ++part_->counts.published;
        const bool is_full = part_->queue.size() >= part_->options.queue_max ||
                             part_->queue_bytes + event.size() > part_->options.queue_bytes_max;
        const bool keeps_old = part_->options.overflow == event_overflow::drop_newest;
        if (event.size() > part_->options.queue_bytes_max || (is_full && keeps_old)) {
            ++part_->counts.dropped;
            return;
        }
        part_->drop_for(event.size());
        part_->queue_bytes += event.size();
        part_->queue.push_back(std::move(event));
    }
    part_->news.notify_all();
}

bool event_publisher::close(std::chrono::nanoseconds limit)
{
    {
        std::unique_lock held{part_->lock};
        part_->is_closed = true;
        part_->news.notify_all();
        part_->empty.wait_for(held, limit, [this] { return part_->queue.empty() && part_->under_way == 0; });
    }
    {
        const std::lock_guard alone{part_->joining};
        part_->worker.request_stop();
        if (part_->worker.joinable()) part_->worker.join();
    }
    const std::lock_guard held{part_->lock};
    return part_->counts.failed == 0;
}

publisher_counts event_publisher::counts() const
{
    const std::lock_guard held{part_->lock};
    return part_->counts;
}

struct composite_sink::part {
    std::vector<std::shared_ptr<event_sink>> sinks;
    std::atomic<std::uint64_t> failures{0};
    std::atomic<bool> is_closed{false};
};

composite_sink::composite_sink(std::vector<std::shared_ptr<event_sink>> sinks) : part_{std::make_unique<part>()}
{
    part_->sinks = std::move(sinks);
}

composite_sink::~composite_sink() = default;

void composite_sink::publish(std::string event)
{
    if (part_->is_closed) throw error{errc::stream_closed, "all", "Cannot publish to closed all"};
    for (const std::shared_ptr<event_sink>& sink : part_->sinks) {
        try {
            sink->publish(event);
        } catch (const std::exception&) {
            part_->failures.fetch_add(1, std::memory_order_relaxed);  // told by `failures`
        }
    }
}

bool composite_sink::close(std::chrono::nanoseconds limit)
{
    part_->is_closed = true;
    bool is_whole = true;
    const auto share = part_->sinks.empty() ? limit : limit / static_cast<std::int64_t>(part_->sinks.size());
    for (const std::shared_ptr<event_sink>& sink : part_->sinks) is_whole = sink->close(share) && is_whole;
    return is_whole;
}

std::uint64_t composite_sink::failures() const noexcept { return part_->failures.load(std::memory_order_relaxed); }

}  // namespace weft
