#include "webhook_sender.hpp"

#include "webhook_url.hpp"

#include <weft/agent/host/webhook_signature.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/net/http_client.hpp>

#include <boost/json/serialize.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::object;

constexpr std::chrono::seconds beyond_attempt{10};  // that a message is ours: for what the store is told afterwards
constexpr const char* stored_body = "body";      // of a message that was tried before
constexpr const char* stored_headers = "headers";  // of a message that a program has made: texts by name
constexpr std::size_t answer_bytes_max = 64 * 1024;  // read so that the connection can be used again

void check_webhook_options(const webhook_options& options)
{
    std::string wrong;
    const auto add = [&wrong](const char* what) { wrong.append(wrong.empty() ? "" : "; ").append(what); };
    if (options.secret && options.secret->empty()) add("secret: is empty; give one, or none");
    if (options.time_max <= std::chrono::nanoseconds::zero() || options.time_max > std::chrono::minutes{1})
        add("time_max: is not between 0 and a minute");
    if (options.at_once_max == 0) add("at_once_max: is 0");
    if (options.retries.attempts_max < 1) add("retries.attempts_max: is below 1");
    if (options.poll_every <= std::chrono::nanoseconds::zero()) add("poll_every: is not above 0");
    if (!wrong.empty()) throw error{errc::invalid_configuration, "server: webhooks", wrong};
}

http_client_options guarded_client(const webhook_options& options)
{
    http_client_options how = options.client;
    how.timeouts.first_byte = options.time_max;
    how.timeouts.send = options.time_max;
    how.address_filter = [&options](std::string_view address) { return may_get_webhooks(address, options); };
    return how;
}

task<int> post_over_network(http_client client, http_request request)
{
    http_response response = co_await client.send(std::move(request));
    const int status = response.status();
    (void)co_await response.read_at_most(answer_bytes_max);
    co_return status;
}

/** What another attempt does not change. */
bool is_hopeless(errc code) noexcept
{
    return code == errc::address_refused || code == errc::invalid_url || code == errc::invalid_configuration;
}

}  // namespace

webhook_sender::webhook_sender(document_store& documents, const webhook_options& options, webhook_functions functions)
    : outbox_{documents}, options_{options}, functions_{std::move(functions)}, news_{make_counted<remote_signal>()}
{
    check_webhook_options(options_);
    if (functions_.post) return;
    functions_.post = [client = http_client{guarded_client(options_)}](http_request request) {
        return post_over_network(client, std::move(request));
    };
}

task<void> webhook_sender::work()
{
    const task_context& context = co_await this_task::context();
    scope attempts{context, failure_policy::keep_going};
    for (;;) {
        co_await look_for_due(*this, attempts);
        // An attempt that ends makes room, and says so.
        if (is_behind_ && under_way_ < options_.at_once_max) continue;
        (void)co_await news_->wait_until(context.loop->now() + options_.poll_every);
    }
}

task<void> webhook_sender::look_for_due(webhook_sender& self, scope& attempts)
{
    self.is_behind_ = false;
    const std::size_t free = self.options_.at_once_max - self.under_way_;
    if (free == 0) co_return;
    const auto lease = std::chrono::ceil<std::chrono::milliseconds>(self.options_.time_max) + beyond_attempt;
    std::string problem;
    try {
        std::vector<outbox_message> due = co_await self.outbox_.take(lease, free);
        self.is_behind_ = due.size() == free;
        for (outbox_message& message : due) attempts.spawn(deliver(self, std::move(message)));
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
        problem = e.what();
    }
    if (!problem.empty()) self.tell(problem);
}

task<void> webhook_sender::deliver(webhook_sender& self, outbox_message message)
{
    ++self.under_way_;
    const std::string id = message.id;
    std::string problem;
    try {
        co_await attempt(self, std::move(message));
    } catch (const error& e) {
        // Of the store: the lease passes, and it is tried again.
        if (e.code() != errc::cancelled) problem = e.what();
    }
    --self.under_way_;
    self.awaited_.erase(id);
    if (self.is_behind_) self.news_->notify();
    if (!problem.empty()) self.tell(problem);
}

task<void> webhook_sender::attempt(webhook_sender& self, outbox_message message)
{
    std::string why;
    bool is_final = false;
    try {
        why = co_await with_deadline(send(self, message), self.options_.time_max);
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
        why = e.what();
        is_final = is_hopeless(e.code());
    }
    if (self.functions_.attempted) self.functions_.attempted(why.empty());
    if (why.empty()) (void)co_await self.outbox_.delivered(std::move(message));
    else co_await note_failure(self, std::move(message), std::move(why), is_final);
}

/** @return  Why it did not arrive; empty: it did. */
task<std::string> webhook_sender::send(webhook_sender& self, outbox_message& message)
{
    // Options, and what an address is allowed, may have changed since the run was ordered.
    if (const std::string fault = webhook_url_fault(message.url, self.options_); !fault.empty())
        throw error{errc::address_refused, "webhook", fault};
    object payload = parse_own_json(message.payload).as_object();
    if (!payload.contains(stored_body)) {
        object told = co_await self.functions_.body(message);
        payload[stored_body] = std::move(told);
        message.payload = boost::json::serialize(payload);
    }
    std::string body = boost::json::serialize(payload[stored_body]);
    http_request request{"POST", url{message.url}};
    request.idempotency_key(message.id);
    if (self.options_.secret) request.header("X-Hub-Signature-256", webhook_signature(body, *self.options_.secret));
    if (const boost::json::value* const headers = payload.if_contains(stored_headers); headers && headers->is_object())
        for (const auto& [name, text] : headers->get_object())
            if (text.is_string()) request.secret(name, secret_string{text.get_string()});
    request.body(std::move(body), "application/json");
    const int status = co_await self.functions_.post(std::move(request));
    const bool is_taken = status >= 200 && status < 300;
    co_return is_taken ? std::string{} : "the receiver answers " + std::to_string(status);
}

task<void> webhook_sender::note_failure(webhook_sender& self, outbox_message message, std::string why,
                                        bool is_hopeless)
{
    retry_policy retries = self.options_.retries;
    if (is_hopeless) retries.attempts_max = 1;
    const std::string id = message.id;
    outbox_state state = outbox_state::again;
    bool is_too_large = false;
    try {
        state = co_await self.outbox_.failed(message, why, retries);
    } catch (const error& e) {
        if (e.code() != errc::limit_reached && e.code() != errc::invalid_json) throw;
        is_too_large = true;
    }
    if (is_too_large) {
        // Values may be nested deeper than a document; then the next attempt asks for what to tell again.
        object payload = parse_own_json(message.payload).as_object();
        payload.erase(stored_body);
        message.payload = boost::json::serialize(payload);
        state = co_await self.outbox_.failed(std::move(message), why, retries);
    }
    if (state == outbox_state::dead) self.tell("run " + id + ": its webhook is given up: " + why);
}

task<void> webhook_sender::before_forgetting(run_id run)
{
    serial_loop& loop = co_await this_task::loop();
    const std::string id = run.text();
    const time_point latest = loop.now() + options_.time_max;
    awaited_.insert(id);
    news_->notify();
    // Another process may have the message: that is why there is an end to it.
    while (awaited_.contains(id) && loop.now() < latest) co_await sleep_for(std::chrono::milliseconds{5});
    awaited_.erase(id);
}

void webhook_sender::tell(std::string_view what) const
{
    if (functions_.problem) functions_.problem(what);
}

}  // namespace weft::serve_detail
