#include "ollama_stream.hpp"

#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/base/json/utf16_halves.hpp>
#include <weft/base/text/ascii_text.hpp>

#include "model/wire/finished_calls.hpp"
#include "model/wire/openai_error.hpp"
#include "model/wire/reply_under_way.hpp"
#include "ollama_dialect.hpp"
#include "ollama_messages.hpp"

#include <boost/json/serialize.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace weft {

namespace json = boost::json;

namespace {

using model_detail::byte_budget;
using model_detail::reply_refused;
using model_detail::streamed_text;

stop_reason meaning_of_done(std::string_view reason, bool has_calls) noexcept
{
    if (reason == "length") return stop_reason::length;
    if (has_calls) return stop_reason::tool_calls;
    return reason == "stop" || reason.empty() ? stop_reason::stop : stop_reason::unknown;
}

/** Ollama leaves a count out that is 0, but hardly both. */
std::optional<usage> ollama_usage(const json::object& line) noexcept
{
    const auto input = peek_count(line, "prompt_eval_count");
    const auto output = peek_count(line, "eval_count");
    if (!input && !output) return std::nullopt;
    usage result;
    result.input = tokens{input.value_or(0)};
    result.output = tokens{output.value_or(0)};
    return result;
}

/** Arguments are an object; a server that sends their text is understood too. */
std::string arguments_in(const json::object& function)
{
    const json::value* arguments = peek_member(function, "arguments");
    if (!arguments) return "{}";
    if (arguments->is_string()) return without_halves(peek_text(arguments));
    return without_halves(json::serialize(*arguments));
}

}  // namespace

struct ollama_stream::state final : model_detail::reply_under_way {
    state(reply_options reading, const secret_string& secret)
        : reply_under_way{std::move(reading), secret, model_detail::ollama_dialect, {}},
          text_left{options.limits.text_bytes_max, "the reply is"},
          arguments_left{options.limits.argument_bytes_max, "the arguments of the tool calls are"}
    {
    }

    std::string model;
    streamed_text text;
    streamed_text thoughts;
    std::vector<tool_call> calls;
    std::optional<weft::usage> used;
    std::string done_reason;
    byte_budget text_left;
    byte_budget arguments_left;
    bool has_started = false;
    bool is_delivered = false;
    bool is_done = false;

    using sink_function = void (chat_sink::*)(std::string_view);
    void take_object(const json::object& line, std::string_view event_type, chat_sink& sink) override;
    void take_message(const json::object& message, chat_sink& sink);
    void take_call(const json::object& entry, chat_sink& sink);
    void end(const json::object& line, chat_sink& sink);
    void deliver(streamed_text& to, std::string_view piece, chat_sink& sink, sink_function tell);
    [[noreturn]] void fail_with_line(const json::object& line);
    [[nodiscard]] bool has_delivered() const noexcept override { return is_delivered; }
    void move_partial(chat_reply& out) override;
    void move_complete(chat_reply& out) override;
};

void ollama_stream::state::take_object(const json::object& line, std::string_view, chat_sink& sink)
{
    if (model.empty()) model = peek_text(line, "model");
    if (const json::object* message = peek_object(line, "message")) {
        if (!has_started) sink.on_started({}, model);
        has_started = true;
        take_message(*message, sink);
    }
    if (reports_error(line)) fail_with_line(line);
    if (peek_flag(line, "done", false)) end(line, sink);
}

void ollama_stream::state::take_message(const json::object& message, chat_sink& sink)
{
    deliver(thoughts, thoughts.seams.join(peek_text(message, "thinking")), sink, &chat_sink::on_reasoning);
    deliver(text, text.seams.join(peek_text(message, "content")), sink, &chat_sink::on_text);
    const json::array* entries = peek_array(message, "tool_calls");
    if (!entries) return;
    for (const json::value& entry : *entries)
        if (const json::object* fields = entry.if_object()) take_call(*fields, sink);
}

void ollama_stream::state::take_call(const json::object& entry, chat_sink& sink)
{
    const json::object* function = peek_object(entry, "function");
    if (!function) return;
    tool_call call;
    call.id = peek_text(entry, "id");
    call.name = peek_text(*function, "name");
    call.arguments = arguments_in(*function);
    if (call.name.empty()) throw reply_refused{errc::invalid_model_reply, "a tool call has no name"};
    if (calls.size() >= options.limits.tool_calls_max)
        throw reply_refused{errc::response_too_large, "more than " + std::to_string(options.limits.tool_calls_max) +
                                                          " tool calls in one reply"};
    arguments_left.take(call.arguments.size());
    is_delivered = true;
    sink.on_tool_call(calls.size(), call.id, call.name);
    sink.on_tool_arguments(calls.size(), call.arguments);
    calls.push_back(std::move(call));
}

void ollama_stream::state::end(const json::object& line, chat_sink& sink)
{
    deliver(thoughts, thoughts.seams.end(), sink, &chat_sink::on_reasoning);
    deliver(text, text.seams.end(), sink, &chat_sink::on_text);
    done_reason = peek_text(line, "done_reason");
    used = ollama_usage(line);
    if (used) sink.on_usage(*used);
    is_done = true;
}

void ollama_stream::state::deliver(streamed_text& to, std::string_view piece, chat_sink& sink, sink_function tell)
{
    if (piece.empty()) return;
    text_left.take(piece.size());
    to.text.append(piece);
    is_delivered = true;
    (sink.*tell)(piece);
}

/** An error has no code here, only a text. One that comes first would have been a status 500 a moment before. */
void ollama_stream::state::fail_with_line(const json::object& line)
{
    json::value shown(line, json::storage_ptr{});
    remove_halves(shown);
    model_failure failure = model_detail::reported_failure(shown.get_object(), key, model_detail::ollama_dialect);
    if (is_document) failure.phase = model_phase::response;
    if (failure.code == errc::model_stream_error && !is_delivered) {
        failure.code = errc::model_overloaded;
        failure.is_transient = true;
    } else if (is_delivered) {
        failure.code = errc::model_stream_error;
    }
    fail(std::move(failure));
}

void ollama_stream::state::move_partial(chat_reply& out)
{
    out.model = std::move(model);
    out.usage = used.value_or(usage::unknown());
    out.message.role = role::assistant;
    if (!thoughts.text.empty()) out.message.content.emplace_back(reasoning_part{std::move(thoughts.text), {}});
    if (!text.text.empty()) out.message.content.emplace_back(text_part{std::move(text.text)});
}

/** Reasoning goes back to the model that wrote it, so the message says which one that was. */
void ollama_stream::state::move_complete(chat_reply& out)
{
    model_detail::give_own_ids(calls, options.id_seed, out.warnings);
    out.message.tool_calls = std::move(calls);
    out.stop = meaning_of_done(done_reason, !out.message.tool_calls.empty());
    out.stop_detail = std::move(done_reason);
    if (!thoughts.text.empty())
        out.message.provider =
            provider_data{std::string{model_detail::ollama_provider}, options.model, json::object{}};
    move_partial(out);
}

ollama_stream::ollama_stream(reply_options options, const secret_string& key)
    : state_{std::make_unique<state>(std::move(options), key)}
{
}

ollama_stream::~ollama_stream() = default;
ollama_stream::ollama_stream(ollama_stream&&) noexcept = default;
ollama_stream& ollama_stream::operator=(ollama_stream&&) noexcept = default;

bool ollama_stream::feed(const sse_event& line, chat_sink& sink)
{
    if (state_->is_done) return false;
    const std::string_view data = trimmed(line.data);
    if (data.empty()) return true;
    state_->take(data, {}, sink);
    return !state_->is_done;
}

void ollama_stream::feed_last(const sse_event& line, chat_sink& sink)
{
    if (state_->is_whole(trimmed(line.data))) feed(line, sink);
}

void ollama_stream::feed_document(std::string_view body, chat_sink& sink)
{
    state_->is_document = true;
    state_->take(trimmed(body), {}, sink);
}

chat_reply ollama_stream::finish(std::string_view)
{
    if (state_->is_done) return state_->complete();
    state_->refuse(errc::response_truncated, "the stream ended before a line said that the reply is done", true);
}

chat_reply ollama_stream::finish_after(const error& cause)
{
    if (state_->is_done && cause.code() != errc::cancelled) return state_->complete();
    state_->fail_after(cause);
}

}  // namespace weft
