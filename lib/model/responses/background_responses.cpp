#include <weft/model/responses/background_responses.hpp>

#include "model/wire/base_url.hpp"
#include "model/wire/keyed_sending.hpp"
#include "response_follower.hpp"
#include "responses_provider.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/base/text/percent_encoded.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace weft {

using model_detail::provider;
using model_detail::provider_answer;
using model_detail::response_follower;

namespace {

constexpr std::size_t order_bytes_max = 1024 * 1024;  // of a document; it repeats the request's settings

/** Hears the id of a response. */
class id_listener final : public chat_sink {
public:
    void on_started(std::string_view id, std::string_view) override { id_ = id; }
    [[nodiscard]] const std::string& id() const noexcept { return id_; }

private:
    std::string id_;
};

[[noreturn]] void refuse_reply(const std::string& where, errc code, std::string detail)
{
    model_failure failure;
    failure.code = code;
    failure.detail = std::move(detail);
    failure.is_transient = is_transient(code);
    throw model_error{where, std::move(failure)};
}

std::string id_in_document(const std::string& text, const std::string& where)
{
    try {
        const boost::json::value read = parse_json(text);
        const boost::json::object* const response = read.if_object();
        if (response && !peek_text(*response, "id").empty()) return std::string{peek_text(*response, "id")};
    } catch (const error& e) {
        refuse_reply(where, errc::invalid_model_reply, "the response is no JSON: " + e.detail());
    }
    refuse_reply(where, errc::invalid_model_reply, "the response has no id");
}

task<std::string> id_in_stream(const provider& from, http_response response, std::string where)
{
    reply_options reading;
    reading.where = where;
    const std::unique_ptr<model_detail::reply_reader> reader = from.how.read(std::move(reading), from.options.key);
    sse_parser parser{{.dialect = sse_dialect::llm}};
    id_listener heard;
    while (heard.id().empty()) {
        const std::string_view bytes = co_await response.read_some();
        if (bytes.empty())
            refuse_reply(where, errc::response_truncated, "the stream ended before the response had an id");
        parser.feed(bytes);
        const sse_event* event = nullptr;
        while (heard.id().empty() && (event = parser.next()) != nullptr) (void)reader->feed(*event, heard);
        if (parser.has_failed()) throw parser.failure(where);
    }
    co_return heard.id();
}

/** An answer whose status is a success. */
task<provider_answer> answered(const provider& from, std::string where, model_detail::request_writer write)
{
    provider_answer answer = co_await model_detail::send_with_key(from, where, std::move(write));
    if (answer.response.head().is_success()) co_return std::move(answer);
    model_error refusal = co_await model_detail::refusal_of(from, std::move(where), std::move(answer));
    throw refusal;
}

task<std::string> order_response(std::shared_ptr<const provider> from, chat_request request)
{
    const std::string where = model_detail::place_of(*from, request);
    request.extra_body["background"] = true;
    request.extra_body["store"] = true;
    model_detail::request_writer write = [&](const secret_string& key) {
        return model_detail::written_request(*from, request, key);
    };
    provider_answer answer = co_await answered(*from, where, std::move(write));
    std::optional<error> broken;
    try {
        if (answer.response.head().media_type() == "text/event-stream")
            co_return co_await id_in_stream(*from, std::move(answer.response), where);
        const std::string document = co_await answer.response.read_all(order_bytes_max);
        co_return id_in_document(document, where);
    } catch (const model_error&) {
        throw;
    } catch (const error& e) {
        broken = e;
    }
    model_detail::fail_request(where, *broken);
}

/** A response that was ordered, and the trace of those who ask about it. */
struct ordered_response {
    std::shared_ptr<const provider> from;
    std::string where;
    std::shared_ptr<const trace_context> trace;  // null: none
};

http_request request_about(const ordered_response& of, std::string method, url target, const secret_string& key)
{
    const provider& from = *of.from;
    http_request request{std::move(method), std::move(target)};
    for (const auto& [name, value] : from.how.headers) request.header(name, value);
    if (of.trace && !of.trace->parent.empty()) request.header("traceparent", of.trace->parent);
    if (of.trace && !of.trace->state.empty()) request.header("tracestate", of.trace->state);
    if (!key.empty()) request.secret(from.how.key_header, key, from.how.key_prefix);
    if (from.options.timeouts) request.timeouts(*from.options.timeouts);
    return request;
}

/** One look at a response. What follows from a failure is decided by the follower. */
task<void> look_at(const ordered_response& of, url target, response_follower& into)
{
    std::optional<model_error> failed;
    try {
        model_detail::request_writer write = [&](const secret_string& key) {
            return request_about(of, "GET", target, key);
        };
        provider_answer answer = co_await answered(*of.from, of.where, std::move(write));
        if (answer.response.head().media_type() != "text/event-stream") {
            const std::string document = co_await answer.response.read_all(into.document_bytes_max());
            co_return into.take_document(document);
        }
        into.begin_stream();
        for (;;) {
            const std::string_view bytes = co_await answer.response.read_some();
            if (bytes.empty()) co_return into.end_stream();
            if (!into.take(bytes)) co_return;
        }
    } catch (const model_error& e) {
        failed = e;
    } catch (const error& e) {
        model_failure failure;
        failure.code = e.code();
        failure.detail = e.detail();
        failure.is_transient = is_transient(e.code());
        failed.emplace(of.where, std::move(failure));
    }
    into.take_failure(*failed);
}

task<chat_reply> follow_response(ordered_response of, std::string base_url, std::string id, chat_sink& sink)
{
    serial_loop& loop = co_await this_task::loop();
    const url target = model_detail::target_below(base_url, "/responses/" + percent_encoded(id));
    reply_options reading;
    reading.where = of.where;
    reading.model = of.from->options.model;
    reading.id_seed = loop.random().next();
    reading.limits = of.from->options.limits;
    response_follower follower{*of.from, std::move(reading), sink};
    for (;;) {
        co_await look_at(of, follower.target(target), follower);
        if (follower.is_over()) co_return follower.finish();
        co_await sleep_for(follower.pause());
    }
}

task<void> cancel_response(ordered_response of, std::string base_url, std::string id)
{
    const url target = model_detail::target_below(base_url, "/responses/" + percent_encoded(id) + "/cancel");
    model_detail::request_writer write = [&](const secret_string& key) {
        return request_about(of, "POST", target, key);
    };
    provider_answer answer = co_await model_detail::send_with_key(*of.from, of.where, std::move(write));
    const int status = answer.response.status();
    (void)co_await answer.response.drain();
    // A response that is over, or gone, has nothing that could be cancelled.
    if (status >= 500) refuse_reply(of.where, errc::model_overloaded,
                                    "the cancel was answered with " + std::to_string(status));
}

}  // namespace

background_responses::background_responses(http_client client, responses_model_options options)
    : provider_{model_detail::made_provider(std::move(client), model_detail::shared_options(options),
                                            model_detail::responses_provider(options))},
      base_url_{std::move(options.base_url)}
{
}

task<std::string> background_responses::order(chat_request request) const
{
    return order_response(provider_, std::move(request));
}

task<chat_reply> background_responses::follow(std::string id, chat_sink& sink,
                                              std::shared_ptr<const trace_context> trace) const
{
    ordered_response of{provider_, provider_->label + ", the response " + id, std::move(trace)};
    return follow_response(std::move(of), base_url_, std::move(id), sink);
}

task<void> background_responses::cancel(std::string id, std::shared_ptr<const trace_context> trace) const
{
    ordered_response of{provider_, provider_->label + ", the response " + id, std::move(trace)};
    return cancel_response(std::move(of), base_url_, std::move(id));
}

}  // namespace weft
