#include "chat_span.hpp"

#include <weft/base/error.hpp>
#include <weft/model/model_error.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace weft::model_detail {

namespace {

using boost::json::array;
using boost::json::object;

struct provider_name {
    std::string_view host_ending;
    std::string_view word;
};

// As the well-known values of `gen_ai.provider.name`.
constexpr std::array<provider_name, 12> provider_names{{
    {"api.openai.com", "openai"},
    {"openai.azure.com", "azure.ai.openai"},
    {"inference.ai.azure.com", "azure.ai.inference"},
    {"api.anthropic.com", "anthropic"},
    {"generativelanguage.googleapis.com", "gcp.gemini"},
    {"aiplatform.googleapis.com", "gcp.vertex_ai"},
    {"api.deepseek.com", "deepseek"},
    {"api.groq.com", "groq"},
    {"api.mistral.ai", "mistral_ai"},
    {"api.cohere.com", "cohere"},
    {"api.perplexity.ai", "perplexity"},
    {"api.x.ai", "x_ai"},
}};

/** A message as the conventions write it. */
object told_message(const message& said, std::string_view finish)
{
    array content;
    const std::string text = said.text();
    if (said.role == role::tool)
        content.push_back(object{{"type", "tool_call_response"}, {"id", said.tool_call_id}, {"response", text}});
    else if (!text.empty())
        content.push_back(object{{"type", "text"}, {"content", text}});
    if (const std::string thought = said.reasoning(); !thought.empty())
        content.push_back(object{{"type", "reasoning"}, {"content", thought}});
    for (const tool_call& call : said.tool_calls)
        content.push_back(
            object{{"type", "tool_call"}, {"id", call.id}, {"name", call.name}, {"arguments", call.arguments}});
    object told{{"role", name_of(said.role)}, {"parts", std::move(content)}};
    if (!finish.empty()) told["finish_reason"] = finish;
    return told;
}

std::string told_conversation(const chat_request& request)
{
    array told;
    for (const message& each : request.messages) told.push_back(told_message(each, {}));
    return boost::json::serialize(told);
}

}  // namespace

named_model named_by(std::string_view label) noexcept
{
    named_model named{label, {}, 0, "_OTHER"};
    const std::size_t at = label.rfind(" at ");
    if (at == label.npos) return named;
    named.model = label.substr(0, at);
    named.host = label.substr(at + 4);
    const std::size_t colon = named.host.rfind(':');
    if (colon != named.host.npos) {
        std::from_chars(named.host.data() + colon + 1, named.host.data() + named.host.size(), named.port);
        named.host = named.host.substr(0, colon);
    }
    named.provider = named.host;
    for (const provider_name& each : provider_names)
        if (named.host.ends_with(each.host_ending)) named.provider = each.word;
    return named;
}

chat_span::chat_span(chat_request& request, std::string_view label, chat_sink& target)
    : forwarding_sink{target}, recorder_{request.trace->recorder}
{
    const named_model named = named_by(label);
    const std::string_view model = request.model.empty() ? named.model : std::string_view{request.model};
    span_.place = request.trace->place();
    span_.parent = std::exchange(span_.place.span, recorder_->next_span());
    span_.kind = span_kind::client;
    span_.start = recorder_->now();
    span_.name = "chat ";
    span_.name += model;
    span_.say(span_key::operation, "chat").say(span_key::provider, named.provider);
    span_.say(span_key::request_model, model).say(span_key::server_address, named.host);
    span_.count(span_key::server_port, named.port);
    if (request.temperature) span_.set(span_key::temperature, *request.temperature);
    if (request.top_p) span_.set(span_key::top_p, *request.top_p);
    if (request.seed) span_.set(span_key::seed, *request.seed);
    if (request.output_max) span_.set(span_key::output_max, request.output_max->count());
    if (recorder_->wants_content()) span_.set(span_key::input_messages, told_conversation(request));
    auto inner = std::make_shared<trace_context>(request.trace->within(span_.place.span));
    inner->is_of_call = true;
    request.trace = std::move(inner);
}

void chat_span::tell(const chat_reply& reply)
{
    span_.say(span_key::response_model, reply.model).say(span_key::response_id, reply.id);
    const usage& used = reply.usage;
    span_.count(span_key::input_tokens, used.input.count()).count(span_key::output_tokens, used.output.count());
    span_.count(span_key::cache_read_tokens, used.cached.count());
    span_.count(span_key::cache_write_tokens, used.cache_written.count());
    span_.count(span_key::reasoning_tokens, used.reasoning.count());
    constexpr double micros = 1e6;
    if (reply.cost) span_.set(span_key::cost_usd, static_cast<double>(reply.cost->count()) / micros);
}

void chat_span::end(const chat_reply& reply)
{
    tell(reply);
    const std::string_view finish = name_of(reply.stop);
    span_.say(span_key::finish_reason, finish).count(span_key::attempts, reply.attempts);
    if (recorder_->wants_content())
        span_.set(span_key::output_messages, boost::json::serialize(array{told_message(reply.message, finish)}));
    record();
}

void chat_span::end(const std::exception_ptr& failed)
{
    span_.has_failed = true;
    span_.say(span_key::error_type, name_of(code_of(failed)));
    if (recorder_->wants_content()) span_.say(span_key::error_message, text_of(failed));
    try {
        std::rethrow_exception(failed);
    } catch (const model_error& e) {
        tell(e.partial());
    } catch (...) {
        // Nothing had arrived.
    }
    record();
}

void chat_span::record()
{
    span_.end = recorder_->now();
    constexpr double nanos = 1e9;
    if (first_piece_ != 0)
        span_.set(span_key::first_chunk_seconds, static_cast<double>(first_piece_ - span_.start) / nanos);
    recorder_->record(std::move(span_));
}

}  // namespace weft::model_detail
