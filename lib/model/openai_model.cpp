#include <weft/model/openai_model.hpp>

#include <weft/async/serial_loop.hpp>
#include <weft/base/error.hpp>
#include <weft/model/openai_error.hpp>
#include <weft/model/openai_request.hpp>

#include "openai_events.hpp"

#include <utility>

namespace weft {

namespace {

constexpr std::size_t error_bytes_max = 64 * 1024;
constexpr std::size_t document_bytes_max = 32 * 1024 * 1024;

std::string label_of(std::string_view model, const url& target)
{
    return std::string{model} + " at " + target.endpoint();
}

const std::string& asked_model(const chat_request& request, const openai_model_options& options)
{
    return request.model.empty() ? options.model : request.model;
}

bool is_json(std::string_view media_type) noexcept
{
    return media_type == "application/json" || media_type.ends_with("+json");
}

/** Some servers forget to say what they stream. */
bool is_event_stream(std::string_view media_type) noexcept
{
    return media_type == "text/event-stream" || media_type.empty();
}

/** Nothing of a reply came: the wire failed, or the call was stopped. */
[[noreturn]] void fail_request(const std::string& where, const error& cause)
{
    model_failure failure;
    failure.code = cause.code();
    failure.phase = model_phase::request;
    failure.detail = cause.detail();
    failure.is_transient = is_transient(cause.code());
    throw model_error{where, std::move(failure)};
}

/** As much of the body as there is; an error response may break off without becoming something else. */
task<std::string> read_error_body(http_response response)
{
    std::string body;
    try {
        std::string beginning = co_await response.read_at_most(error_bytes_max);
        body = std::move(beginning);
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
    }
    co_return body;
}

}  // namespace

openai_model::openai_model(http_client client, openai_model_options options)
    : client_{std::move(client)}, options_{std::move(options)},
      target_{url{options_.base_url}.appended("chat/completions")}, label_{label_of(options_.model, target_)}
{
    if (options_.model.empty())
        throw error{errc::invalid_configuration, target_.endpoint(), "name the model in openai_model_options::model"};
    chat_request sample;
    sample.user("?");
    (void)make_request(sample);  // refuses now what no request could send
}

http_request openai_model::make_request(const chat_request& request) const
{
    http_request out{"POST", target_};
    out.header("Accept", "text/event-stream");
    if (!options_.organization.empty()) out.header("OpenAI-Organization", options_.organization);
    if (!options_.project.empty()) out.header("OpenAI-Project", options_.project);
    for (const auto& [name, value] : options_.profile.headers) out.header(name, value);
    if (!request.call_id.empty()) out.header("Idempotency-Key", request.call_id);
    if (!options_.key.empty()) out.secret(options_.profile.auth_header, options_.key, options_.profile.auth_prefix);
    if (options_.timeouts) out.timeouts(*options_.timeouts);
    out.body(openai_request_body(request, options_.profile, options_.model), "application/json");
    return out;
}

task<chat_reply> openai_model::do_reply(chat_request request, chat_sink& sink)
{
    openai_stream_options reading;
    reading.model = asked_model(request, options_);
    reading.where = label_of(reading.model, target_);
    reading.limits = options_.limits;
    serial_loop& loop = co_await this_task::loop();
    reading.id_seed = loop.random().next();

    http_request outgoing = make_request(request);
    std::optional<http_response> response;
    std::optional<error> failure;
    try {
        http_response answered = co_await client_.send(std::move(outgoing));
        response.emplace(std::move(answered));
    } catch (const error& e) {
        failure = e;
    }
    if (failure) fail_request(reading.where, *failure);
    chat_reply reply = co_await read_reply(std::move(*response), std::move(reading), sink);
    co_return reply;
}

/** Status first, then content type, then body. */
task<chat_reply> openai_model::read_reply(http_response response, openai_stream_options reading, chat_sink& sink)
{
    const http_response_head head = response.head();
    const std::string type = head.media_type();
    const bool is_document = is_json(type);
    if (!head.is_success() || !(is_document || is_event_stream(type))) {
        std::string body = co_await read_error_body(std::move(response));
        throw model_error{reading.where, openai_response_failure(head, body, options_.key)};
    }
    reading.request_id = head.headers.find("x-request-id").value_or("");
    reading.rate_limits = rate_limits_of(head.headers);
    openai_stream stream{std::move(reading), options_.profile, options_.key};
    task<chat_reply> read;
    if (is_document)
        read = read_document(std::move(response), std::move(stream), sink);
    else
        read = model_detail::read_events(std::move(response), std::move(stream), sink);
    chat_reply reply = co_await std::move(read);
    co_return reply;
}

task<chat_reply> openai_model::read_document(http_response response, openai_stream stream, chat_sink& sink)
{
    std::string body;
    std::optional<error> failure;
    try {
        std::string whole = co_await response.read_all(document_bytes_max);
        body = std::move(whole);
    } catch (const error& e) {
        failure = e;
    }
    if (failure) co_return stream.finish_after(*failure);
    stream.feed_document(body, sink);
    co_return stream.finish();
}

}  // namespace weft
