#include "a2a_exchange.hpp"

#include "http_answer.hpp"
#include "remote_agent.hpp"

#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/net/sse_parser.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace weft::agent_detail {

namespace {

constexpr std::chrono::minutes agent_timeout_usual{5};
constexpr std::chrono::minutes card_lifetime{5};
constexpr std::chrono::seconds ask_again_every{1};
constexpr std::size_t card_bytes_max = 1024 * 1024;

std::chrono::nanoseconds limit_of(const a2a_settings& settings)
{
    return settings.timeout ? settings.timeout->span() : std::chrono::nanoseconds{agent_timeout_usual};
}

/** Whether a stream that broke off may have left its task at work. */
bool breaks_off(errc code) noexcept
{
    return code == errc::connection_lost || code == errc::response_truncated || code == errc::gap_timeout ||
           code == errc::invalid_response;
}

}  // namespace

a2a_agent::a2a_agent(a2a_settings given, std::shared_ptr<const http_program> of)
    : settings{std::move(given)}, at{settings.agent}, program{std::move(of)}
{
}

std::optional<a2a_interface> a2a_agent::known(time_point now) const
{
    const std::lock_guard lock{mutex_};
    return now < card_until_ ? card_ : std::nullopt;
}

void a2a_agent::note(a2a_interface found, time_point now) const
{
    const std::lock_guard lock{mutex_};
    card_ = std::move(found);
    card_until_ = now + card_lifetime;
}

a2a_exchange::a2a_exchange(std::shared_ptr<const a2a_agent> agent, std::string place,
                           std::shared_ptr<const trace_context> trace, a2a_progress::tell_function tell)
    : agent_{std::move(agent)}, place_{std::move(place)}, trace_{std::move(trace)}, tell_{std::move(tell)}
{
}

std::string a2a_exchange::place_at(const url& target) const { return place_ + ", the agent at " + target.origin(); }

std::string a2a_exchange::without_secrets(std::string text) const
{
    for (const secret_string& secret : secrets_) text = secret.scrub(text);
    return text;
}

task<boost::json::object> a2a_exchange::perform(a2a_outgoing words)
{
    try {
        boost::json::object left = co_await with_deadline(follow(std::move(words)), limit_of(agent_->settings));
        co_return left;
    } catch (const error& e) {
        if (const auto told = told_by_caller(e, place_at(agent_->at), agent_->at)) throw error{*told};
        // Agents repeat what they were sent, also in texts for people.
        throw error{e.code(), e.where(), without_secrets(e.detail())};
    }
}

http_request a2a_exchange::request_to(std::string method, const url& target, const std::string& key)
{
    http_request request{std::move(method), target};
    // A card may lead to another host, which must be trusted by itself.
    put_headers(request, agent_->settings.headers, *agent_->program, place_at(target), secrets_);
    put_trace(request, trace_.get(), key);
    http_timeouts timeouts = agent_->program->options.client.timeouts;
    timeouts.first_byte = timeouts.gap = limit_of(agent_->settings);
    request.timeouts(timeouts);
    return request;
}

task<http_response> a2a_exchange::send(http_request request)
{
    const url target = request.target();
    const http_client& client =
        is_trusted(*agent_->program, target) ? agent_->program->trusted : agent_->program->strict;
    http_response response = co_await client.send(std::move(request));
    const http_response_head head = response.head();
    if (!is_refusal(head)) co_return response;
    const std::string told = co_await response.read_at_most(refusal_bytes_max);
    const std::optional<http_refusal> refusal = refusal_of(head, told);
    retry_after_ = refusal->retry_after;
    throw error{refusal->code, place_at(target), refusal->detail};
}

// Two runs may read the card at once: the second one writes what the first one wrote.
task<a2a_interface> a2a_exchange::find_interface(std::string key)
{
    serial_loop& loop = co_await this_task::loop();
    if (std::optional<a2a_interface> known = agent_->known(loop.now())) co_return std::move(*known);
    const url card_url = a2a_card_url(agent_->at);
    http_request request = request_to("GET", card_url, key);
    request.header("accept", "application/json");
    http_response response = co_await send(std::move(request));
    std::string text = co_await response.read_all(card_bytes_max);
    const std::string where = place_at(card_url);
    const boost::json::value card = value_of_body("application/json", std::move(text), where);
    a2a_interface found = read_a2a_card(card, where);
    agent_->note(found, loop.now());
    co_return found;
}

task<void> a2a_exchange::exchange(const a2a_interface& with, a2a_wire_request asked, const std::string& key,
                                  a2a_progress& into)
{
    const bool has_body = !asked.body.empty();
    http_request request = request_to(has_body ? "POST" : "GET", asked.target, key);
    request.header("accept", "text/event-stream, application/json, application/a2a+json");
    request.header("A2A-Version", with.is_legacy ? "0.3" : "1.0");
    if (has_body) {
        request.idempotency_key(key);
        request.body(std::move(asked.body), "application/json");
    }
    http_response response = co_await send(std::move(request));
    if (response.head().media_type() == "text/event-stream") {
        co_await read_stream(with, std::move(response), into);
        co_return;
    }
    const std::string text =
        co_await response.read_all(static_cast<std::size_t>(agent_->settings.reply_bytes_max));
    into.take(a2a_result(with, text, place_at(with.at)));
}

task<void> a2a_exchange::read_stream(const a2a_interface& from, http_response response, a2a_progress& into)
{
    const auto most = static_cast<std::size_t>(agent_->settings.reply_bytes_max);
    const std::string where = place_at(from.at);
    sse_parser parser;
    for (std::size_t read = 0; !into.has_come_to_rest();) {
        std::string_view bytes;
        try {
            bytes = co_await response.read_some();
        } catch (const error& e) {
            // Before the task is known there is nothing to ask for, and the message may be sent again.
            if (!breaks_off(e.code()) || into.task().empty()) throw;
            co_return;
        }
        if (bytes.empty()) co_return;
        read += bytes.size();
        if (read > most)
            throw error{errc::response_too_large, where,
                        "the stream has more than the " + std::to_string(most) + " bytes of reply_bytes_max"};
        parser.feed(bytes);
        while (const sse_event* const event = parser.next())
            if (!event->data.empty()) into.take(a2a_result(from, event->data, where));
        if (parser.has_failed()) throw parser.failure(where);
    }
}

task<boost::json::object> a2a_exchange::follow(a2a_outgoing words)
{
    const std::string key = words.id;
    const a2a_interface with = co_await find_interface(key);
    a2a_progress progress{[this](std::string_view kind, std::string_view text) {
        has_told_ = true;
        if (tell_) tell_(kind, text);
    }};
    a2a_wire_request message = a2a_send_request(with, words);
    co_await exchange(with, std::move(message), key, progress);
    // A stream that broke off, or an agent that answers before it is done.
    while (!progress.rests()) {
        if (progress.task().empty())
            throw error{errc::unexpected_json, place_at(with.at), "the answer holds neither a task nor a message"};
        co_await sleep_for(ask_again_every);
        a2a_wire_request asked = a2a_get_request(with, progress.task());
        co_await exchange(with, std::move(asked), key, progress);
    }
    require_success(progress);
    co_return progress.outcome();
}

void a2a_exchange::require_success(const a2a_progress& of) const
{
    if (of.state() == "completed" || of.state() == "input-required") return;
    const boost::json::object left = of.outcome();
    std::string words = "its task " + of.task() + " is " + of.state();
    if (of.state() == "auth-required") words += ": it wants credentials that it cannot be given here";
    if (const std::string_view said{left.at("said").get_string()}; !said.empty()) words.append(": ").append(said);
    throw error{errc::agent_refused, place_at(agent_->at), words};
}

}  // namespace weft::agent_detail
