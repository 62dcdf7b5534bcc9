#include <weft/base/json/json_peek.hpp>
#include <weft/base/json/utf16_halves.hpp>

#include "model/wire/finished_calls.hpp"
#include "model/wire/reply_reader.hpp"
#include "ollama_messages.hpp"
#include "ollama_provider.hpp"

#include <boost/json/serialize.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

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

class ollama_reply_reader final : public reply_reader {
public:
    ollama_reply_reader(reply_options reading, const secret_string& secret)
        : reply_reader{std::move(reading), secret, ollama_errors},
          text_left_{options().limits.text_bytes_max, "the reply is"},
          arguments_left_{options().limits.argument_bytes_max, "the arguments of the tool calls are"}
    {
    }

private:
    void take_object(const json::object& line, std::string_view event_type, chat_sink& sink) override;
    [[nodiscard]] bool has_ended() const noexcept override { return has_ended_; }
    [[nodiscard]] bool is_complete() const noexcept override { return has_ended_; }
    [[nodiscard]] std::string_view why_incomplete() const noexcept override;
    [[nodiscard]] bool has_delivered() const noexcept override { return is_delivered_; }
    void move_partial(chat_reply& out) override;
    void move_complete(chat_reply& out) override;

    using sink_function = void (chat_sink::*)(std::string_view);
    void take_message(const json::object& message, chat_sink& sink);
    void take_call(const json::object& entry, chat_sink& sink);
    void end(const json::object& line, chat_sink& sink);
    void deliver(streamed_text& to, std::string_view piece, chat_sink& sink, sink_function tell);
    [[noreturn]] void fail_with_line(const json::object& line);

    std::string model_;
    streamed_text text_;
    streamed_text thoughts_;
    std::vector<tool_call> calls_;
    std::optional<weft::usage> used_;
    std::string done_reason_;
    byte_budget text_left_;
    byte_budget arguments_left_;
    bool has_started_ = false;
    bool is_delivered_ = false;
    bool has_ended_ = false;  // a line with `"done":true` was seen
};

std::string_view ollama_reply_reader::why_incomplete() const noexcept
{
    return "the stream ended before a line said that the reply is done";
}

void ollama_reply_reader::take_object(const json::object& line, std::string_view, chat_sink& sink)
{
    if (model_.empty()) model_ = peek_text(line, "model");
    if (const json::object* message = peek_object(line, "message")) {
        if (!has_started_) sink.on_started({}, model_);
        has_started_ = true;
        take_message(*message, sink);
    }
    if (reports_error(line)) fail_with_line(line);
    if (peek_flag(line, "done", false)) end(line, sink);
}

void ollama_reply_reader::take_message(const json::object& message, chat_sink& sink)
{
    deliver(thoughts_, thoughts_.seams.join(peek_text(message, "thinking")), sink, &chat_sink::on_reasoning);
    deliver(text_, text_.seams.join(peek_text(message, "content")), sink, &chat_sink::on_text);
    const json::array* entries = peek_array(message, "tool_calls");
    if (!entries) return;
    for (const json::value& entry : *entries)
        if (const json::object* fields = entry.if_object()) take_call(*fields, sink);
}

void ollama_reply_reader::take_call(const json::object& entry, chat_sink& sink)
{
    const json::object* function = peek_object(entry, "function");
    if (!function) return;
    tool_call call;
    call.id = peek_text(entry, "id");
    call.name = peek_text(*function, "name");
    call.arguments = arguments_in(*function);
    if (call.name.empty()) throw reply_refused{errc::invalid_model_reply, "a tool call has no name"};
    if (calls_.size() >= options().limits.tool_calls_max)
        throw reply_refused{errc::response_too_large, "more than " + std::to_string(options().limits.tool_calls_max) +
                                                          " tool calls in one reply"};
    arguments_left_.take(call.arguments.size());
    is_delivered_ = true;
    sink.on_tool_call(calls_.size(), call.id, call.name);
    sink.on_tool_arguments(calls_.size(), call.arguments);
    calls_.push_back(std::move(call));
}

void ollama_reply_reader::end(const json::object& line, chat_sink& sink)
{
    deliver(thoughts_, thoughts_.seams.end(), sink, &chat_sink::on_reasoning);
    deliver(text_, text_.seams.end(), sink, &chat_sink::on_text);
    done_reason_ = peek_text(line, "done_reason");
    used_ = ollama_usage(line);
    if (used_) sink.on_usage(*used_);
    has_ended_ = true;
}

void ollama_reply_reader::deliver(streamed_text& to, std::string_view piece, chat_sink& sink, sink_function tell)
{
    if (piece.empty()) return;
    text_left_.take(piece.size());
    to.text.append(piece);
    is_delivered_ = true;
    (sink.*tell)(piece);
}

/** An error has no code here, only a text. One that comes first would have been a status 500 a moment before. */
void ollama_reply_reader::fail_with_line(const json::object& line)
{
    model_failure failure = failure_of(line);
    if (failure.code == errc::model_stream_error && !is_delivered_) {
        failure.code = errc::model_overloaded;
        failure.is_transient = true;
    } else if (is_delivered_) {
        failure.code = errc::model_stream_error;
    }
    fail(std::move(failure));
}

void ollama_reply_reader::move_partial(chat_reply& out)
{
    out.model = std::move(model_);
    out.usage = used_.value_or(usage::unknown());
    out.message.role = role::assistant;
    if (!thoughts_.text.empty()) out.message.content.emplace_back(reasoning_part{std::move(thoughts_.text), {}});
    if (!text_.text.empty()) out.message.content.emplace_back(text_part{std::move(text_.text)});
}

/** Reasoning goes back to the model that wrote it, so the message says which one that was. */
void ollama_reply_reader::move_complete(chat_reply& out)
{
    give_own_ids(calls_, options().id_seed, out.warnings);
    out.message.tool_calls = std::move(calls_);
    out.stop = meaning_of_done(done_reason_, !out.message.tool_calls.empty());
    out.stop_detail = std::move(done_reason_);
    if (!thoughts_.text.empty())
        out.message.provider =
            provider_data{std::string{ollama_name}, options().model, json::object{}};
    move_partial(out);
}

}  // namespace

std::unique_ptr<reply_reader> ollama_reader(reply_options options, const secret_string& key)
{
    return std::make_unique<ollama_reply_reader>(std::move(options), key);
}

}  // namespace weft::model_detail
