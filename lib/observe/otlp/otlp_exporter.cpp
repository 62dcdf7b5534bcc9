#include <weft/observe/otlp/otlp_exporter.hpp>

#include <weft/async/async_start.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/async/wait/with_stop.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/runtime.hpp>
#include <weft/model/time/retry_after.hpp>
#include <weft/net/http_client.hpp>
#include <weft/net/server/gzip_writer.hpp>

#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t answer_bytes_max = 64 * 1024;

otlp_options checked(otlp_options options)
{
    if (options.batch_max == 0 || options.queue_max == 0)
        throw error{errc::invalid_configuration, "otlp_options", "`batch_max` and `queue_max` must be at least 1"};
    // An exporter that never waits would take a core for itself.
    constexpr std::chrono::nanoseconds every_min = std::chrono::milliseconds{5};
    options.every = std::max(options.every, every_min);
    options.client.secrets_without_tls = options.client.secrets_without_tls || options.secrets_without_tls;
    return options;
}

/** What became of one request. */
struct otlp_answer {
    bool is_good = false;
    bool may_retry = false;
    std::optional<std::chrono::milliseconds> retry_after = {};
    std::string body = {};
    bool is_json = false;
    std::string why = {};
};

bool is_busy(int status) noexcept { return status == 429 || status == 502 || status == 503 || status == 504; }

http_request request_with(const otlp_options& options, const std::vector<span>& batch)
{
    const bool is_json = options.format == otlp_format::json;
    std::string body = is_json ? otlp_json(batch, options.resource) : otlp_protobuf(batch, options.resource);
    http_request request{"POST", url{options.url}};
    for (const auto& [name, value] : options.headers) request.secret(name, value);
    if (options.gzip_bytes_min > 0 && body.size() >= options.gzip_bytes_min) {
        std::string packed;
        net_detail::gzip_writer writer{1, body.size()};
        writer.write(body, packed);
        writer.finish(packed);
        body = std::move(packed);
        request.header("Content-Encoding", "gzip");
    }
    request.body(std::move(body), is_json ? "application/json" : "application/x-protobuf");
    return request;
}

task<otlp_answer> ask_receiver(http_client client, http_request request)
{
    http_response response = co_await client.send(std::move(request));
    const http_response_head& head = response.head();
    otlp_answer answer;
    answer.is_good = head.is_success();
    answer.may_retry = is_busy(head.status);
    answer.retry_after = retry_after_of(head.headers);
    answer.is_json = head.media_type() == "application/json";
    if (!answer.is_good) answer.why = "the receiver answered with the status " + std::to_string(head.status);
    answer.body = co_await response.read_at_most(answer_bytes_max);
    co_return answer;
}

}  // namespace

struct otlp_exporter::part {
    part(otlp_options given, count_function function)
        : options{checked(std::move(given))}, count{std::move(function)}, client{options.client},
          queue{options.queue_max, options.batch_max, [signal = news] { signal->notify(); }}
    {
        static_cast<void>(url{options.url});
    }

    static task<void> work(part& self);
    static task<void> send(part& self, std::vector<span> batch);
    static task<otlp_answer> attempt(part& self, const std::vector<span>& batch);
    void lose(std::size_t spans, const std::string& why, time_point now);
    void tell(std::string_view outcome, std::size_t spans) const
    {
        if (count && spans > 0) count(outcome, spans);
    }

    const otlp_options options;
    const count_function count;
    const intrusive_ptr<remote_signal> news = make_counted<remote_signal>();
    http_client client;
    span_queue queue;
    std::atomic<bool> is_closing = false;
    std::stop_source stop;
    std::optional<time_point> told_at;  // of the exporter's loop
    std::future<void> working;
    runtime loop{1};  // last: its OS thread ends before what it uses
};

otlp_exporter::otlp_exporter(otlp_options options, count_function count)
    : part_{std::make_unique<part>(std::move(options), std::move(count))}
{
    part& own = *part_;
    own.working = async_start(own.loop.loop(0), with_stop(part::work(own), own.stop.get_token()),
                              boost::asio::use_future);
}

otlp_exporter::~otlp_exporter() { close(part_->options.flush_for); }

span_queue& otlp_exporter::queue() noexcept { return part_->queue; }

bool otlp_exporter::close(std::chrono::nanoseconds limit)
{
    part& own = *part_;
    if (!own.working.valid()) return true;
    own.is_closing = true;
    own.news->notify();
    // What is under way may end by itself; then it is cut short.
    const bool is_done = own.working.wait_for(limit) == std::future_status::ready;
    own.stop.request_stop();
    try {
        own.working.get();
    } catch (const error&) {
        // It was stopped.
    }
    own.tell("failed", own.queue.take(own.options.queue_max).size());
    return is_done;
}

task<void> otlp_exporter::part::work(part& self)
{
    serial_loop& loop = co_await this_task::loop();
    for (;;) {
        // Read before the queue: what came before the end was asked for is sent.
        const bool was_closing = self.is_closing;
        while (self.queue.waiting() > 0) {
            std::vector<span> batch = self.queue.take(self.options.batch_max);
            co_await send(self, std::move(batch));
        }
        if (was_closing) co_return;
        if (!self.is_closing) (void)co_await self.news->wait_until(loop.now() + self.options.every);
    }
}

task<otlp_answer> otlp_exporter::part::attempt(part& self, const std::vector<span>& batch)
{
    otlp_answer answer;
    std::exception_ptr failed;
    try {
        http_request request = request_with(self.options, batch);
        task<otlp_answer> asking = ask_receiver(self.client, std::move(request));
        otlp_answer answered = co_await with_deadline(std::move(asking), self.options.timeout);
        answer = std::move(answered);
    } catch (const error&) {
        failed = std::current_exception();
    }
    if (!failed) co_return answer;
    const errc code = code_of(failed);
    if (code == errc::cancelled) std::rethrow_exception(failed);
    // Whatever went wrong on the way may pass, but for what no attempt can mend.
    answer.may_retry = code != errc::invalid_configuration;
    answer.why = text_of(failed);
    co_return answer;
}

task<void> otlp_exporter::part::send(part& self, std::vector<span> batch)
{
    serial_loop& loop = co_await this_task::loop();
    for (int number = 1;; ++number) {
        otlp_answer answer;
        std::exception_ptr stopped;
        try {
            otlp_answer answered = co_await attempt(self, batch);
            answer = std::move(answered);
        } catch (...) {
            stopped = std::current_exception();
        }
        if (stopped) {
            self.tell("failed", batch.size());
            std::rethrow_exception(stopped);
        }
        if (answer.is_good) {
            const otlp_rejection rejected = otlp_rejection_in(answer.body, answer.is_json);
            const auto lost = static_cast<std::size_t>(std::clamp<std::int64_t>(
                rejected.spans, 0, static_cast<std::int64_t>(batch.size())));
            self.tell("sent", batch.size() - lost);
            if (lost > 0) self.lose(lost, "the receiver refused spans: " + rejected.message, loop.now());
            co_return;
        }
        const bool tries_again = answer.may_retry && number < self.options.retry.attempts_max && !self.is_closing;
        if (!tries_again) {
            self.lose(batch.size(), answer.why, loop.now());
            co_return;
        }
        std::chrono::nanoseconds delay = self.options.retry.delay_before(number + 1, loop.random().uniform());
        constexpr std::chrono::nanoseconds delay_max = std::chrono::minutes{1};
        if (answer.retry_after) delay = std::min<std::chrono::nanoseconds>(*answer.retry_after, delay_max);
        const time_point until = loop.now() + delay;
        // A full batch that wakes the exporter waits all the same.
        while (loop.now() < until && !self.is_closing) (void)co_await self.news->wait_until(until);
    }
}

void otlp_exporter::part::lose(std::size_t spans, const std::string& why, time_point now)
{
    tell("failed", spans);
    constexpr std::chrono::minutes between{1};
    if (!options.on_error || (told_at && now - *told_at < between)) return;
    told_at = now;
    options.on_error(std::to_string(spans) + " spans for " + options.url + " are lost: " + why);
}

}  // namespace weft
