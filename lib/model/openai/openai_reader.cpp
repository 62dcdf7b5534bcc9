#include <weft/base/json/json_peek.hpp>

#include "model/wire/reply_reader.hpp"
#include "openai_provider.hpp"
#include "openai_tool_calls.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

std::int64_t openai_detail(const json::object& in, std::string_view group, std::string_view name) noexcept
{
    const json::object* details = peek_object(in, group);
    return details ? peek_count(*details, name).value_or(0) : 0;
}

/** Reads `usage` of a chunk, or Groq's `x_groq.usage`; nothing when neither has counts. */
std::optional<usage> openai_usage(const json::object& chunk) noexcept
{
    const json::object* in = peek_object(chunk, "usage");
    const json::object* groq = in ? nullptr : peek_object(chunk, "x_groq");
    if (groq) in = peek_object(*groq, "usage");
    if (!in) return std::nullopt;
    const auto input = peek_count(*in, "prompt_tokens");
    const auto output = peek_count(*in, "completion_tokens");
    if (!input && !output) return std::nullopt;

    usage result;
    result.input = tokens{input.value_or(0)};
    result.output = tokens{output.value_or(0)};
    // Some servers leave reasoning out of the completion and count it in the total only.
    const tokens total{peek_count(*in, "total_tokens").value_or(0)};
    result.output = std::max(result.output, total - result.input);
    const std::int64_t hits = peek_count(*in, "prompt_cache_hit_tokens").value_or(0);
    result.cached = tokens{std::max(hits, openai_detail(*in, "prompt_tokens_details", "cached_tokens"))};
    result.cache_written = tokens{openai_detail(*in, "prompt_tokens_details", "cache_write_tokens")};
    result.reasoning = tokens{openai_detail(*in, "completion_tokens_details", "reasoning_tokens")};
    return result;
}

/** Words for a reply that ended in an error which nothing else explains. */
bool is_failure_word(std::string_view finish_reason) noexcept
{
    return finish_reason == "error" || finish_reason == "insufficient_system_resource";
}

stop_reason meaning_of(std::string_view word, bool has_calls) noexcept
{
    if (word == "length" || word == "model_length" || word == "max_tokens") return stop_reason::length;
    if (word == "content_filter") return stop_reason::content_filter;
    // Calls count, not the word: some servers say `stop` whenever a tool was asked for, or always.
    if (has_calls) return stop_reason::tool_calls;
    const bool is_stop = word == "stop" || word == "tool_calls" || word == "function_call";
    return is_stop ? stop_reason::stop : stop_reason::unknown;
}

/** Whether two details are pieces of one: of the same index and type, and of a type that comes in pieces. */
bool continues(const json::object& earlier, const json::object& piece) noexcept
{
    const std::string_view type = peek_text(piece, "type");
    return (type == "reasoning.text" || type == "reasoning.summary") && type == peek_text(earlier, "type") &&
           peek_count(earlier, "index") == peek_count(piece, "index");
}

void merge_detail(json::object& earlier, const json::object& piece)
{
    for (const json::key_value_pair& member : piece) {
        const bool grows = member.key() == "text" || member.key() == "summary";
        json::value& kept = earlier[member.key()];
        if (grows && kept.is_string() && member.value().is_string())
            kept.get_string().append(member.value().get_string());
        else if (!member.value().is_null())
            kept = member.value();
    }
}

/** The text of a chunk that has nothing else to say; empty: it may have. */
std::string_view sole_text_of(const json::object& chunk) noexcept
{
    const json::array* choices = peek_array(chunk, "choices");
    if (!choices || choices->size() != 1 || peek_object(chunk, "usage") || peek_object(chunk, "x_groq")) return {};
    const json::object* choice = choices->front().if_object();
    const json::object* delta = choice ? peek_object(*choice, "delta") : nullptr;
    if (!delta || peek_count(*choice, "index").value_or(0) != 0) return {};
    if (!peek_text(*choice, "finish_reason").empty()) return {};
    for (const json::key_value_pair& member : *delta) {
        const bool is_known = member.key() == "content" || member.key() == "role" || member.value().is_null();
        if (!is_known) return {};
    }
    return peek_text(*delta, "content");
}

/** Takes chunks in, whatever they came in. */
class openai_reply_reader final : public reply_reader {
public:
    openai_reply_reader(reply_options reading, const openai_profile& profile, const secret_string& secret)
        : reply_reader{std::move(reading), secret, openai_errors, profile.reasoning_fields}, profile_{profile},
          calls_{profile, options().limits}, text_left_{options().limits.text_bytes_max, "the reply is"}
    {
    }

private:
    void take_object(const json::object& chunk, std::string_view event_type, chat_sink& sink) override;
    void take_text(std::string_view text, chat_sink& sink) override { append_text(text, sink); }
    void take_end(chat_sink& sink) override;
    [[nodiscard]] bool is_complete() const noexcept override;
    [[nodiscard]] std::string_view why_incomplete() const noexcept override;
    [[nodiscard]] bool has_delivered() const noexcept override { return has_delivered_; }
    void move_partial(chat_reply& out) override;
    void move_complete(chat_reply& out) override;

    void add(const json::object& chunk, chat_sink& sink);
    void add_choice(const json::object& choice, chat_sink& sink);
    void add_delta(const json::object& delta, chat_sink& sink);
    void add_content(const json::value& content, chat_sink& sink);
    void add_content_part(const json::object& part, chat_sink& sink);
    void add_reasoning(const json::object& delta, chat_sink& sink);
    void add_reasoning_details(const json::array& details);
    void append_text(std::string_view piece, chat_sink& sink);
    void append_reasoning(std::string_view piece, chat_sink& sink);
    using sink_function = void (chat_sink::*)(std::string_view);
    void deliver(streamed_text& to, std::string_view piece, chat_sink& sink, sink_function tell);

    const openai_profile& profile_;
    openai_tool_calls calls_;
    byte_budget text_left_;  // of text, reasoning and refusal
    std::string id_;
    std::string model_;
    streamed_text text_;
    streamed_text reasoning_;
    streamed_text refusal_;
    json::array reasoning_details_;
    std::optional<weft::usage> usage_;
    std::string finish_reason_;  // the server's last word for why it stopped; empty as long as there is none
    bool has_started_ = false;   // there was a choice, if only an empty one
    bool has_delivered_ = false;
};

void openai_reply_reader::take_object(const json::object& chunk, std::string_view, chat_sink& sink)
{
    // Text beside an error still counts.
    add(chunk, sink);
    if (reports_error(chunk)) fail_with_report(chunk);
    const json::object* groq = peek_object(chunk, "x_groq");
    if (groq && reports_error(*groq)) fail_with_report(*groq);
    if (is_failure_word(finish_reason_))
        refuse(errc::model_stream_error, "the server gave up (finish reason " + finish_reason_ + ")", true);
    if (!is_document()) return note_sole_text(sole_text_of(chunk));
    if (has_started_) return;
    model_failure failure = failure_of(chunk);
    failure.code = errc::invalid_model_reply;
    failure.detail = "the reply has no choices: " + failure.detail;
    fail(std::move(failure));
}

bool openai_reply_reader::is_complete() const noexcept
{
    return is_document() || !finish_reason_.empty() || (is_done() && profile_.done_implies_stop);
}

std::string_view openai_reply_reader::why_incomplete() const noexcept
{
    return is_done() ? "[DONE] came without a finish reason" : "the stream ended without a finish reason";
}

/** Says that no more text follows: a half of a character that still waits for the other one becomes U+FFFD. */
void openai_reply_reader::take_end(chat_sink& sink)
{
    deliver(text_, text_.seams.end(), sink, &chat_sink::on_text);
    deliver(reasoning_, reasoning_.seams.end(), sink, &chat_sink::on_reasoning);
    deliver(refusal_, refusal_.seams.end(), sink, &chat_sink::on_refusal);
    has_delivered_ |= calls_.end_arguments(sink);
}

void openai_reply_reader::add(const json::object& chunk, chat_sink& sink)
{
    if (id_.empty()) id_ = peek_text(chunk, "id");
    if (model_.empty()) model_ = peek_text(chunk, "model");
    if (const json::array* choices = peek_array(chunk, "choices"))
        for (const json::value& choice : *choices)
            if (const json::object* fields = choice.if_object()) add_choice(*fields, sink);
    // Each report replaces the one before: servers repeat it, with every chunk or at the end.
    if (const std::optional<usage> reported = openai_usage(chunk)) {
        usage_ = reported;
        sink.on_usage(*usage_);
    }
}

void openai_reply_reader::add_choice(const json::object& choice, chat_sink& sink)
{
    if (peek_count(choice, "index").value_or(0) != 0) return;  // alternatives are not asked for
    if (!has_started_) sink.on_started(id_, model_);
    has_started_ = true;

    const json::object* delta = peek_object(choice, "delta");
    if (!delta) delta = peek_object(choice, "message");
    if (delta) add_delta(*delta, sink);
    const std::string_view reason = peek_text(choice, "finish_reason");
    if (reason.empty()) return;
    finish_reason_ = reason;
    take_end(sink);
}

void openai_reply_reader::add_delta(const json::object& delta, chat_sink& sink)
{
    add_reasoning(delta, sink);
    if (const json::value* content = peek_member(delta, "content")) add_content(*content, sink);
    deliver(refusal_, refusal_.seams.join(peek_text(delta, "refusal")), sink, &chat_sink::on_refusal);
    if (const json::array* pieces = peek_array(delta, "tool_calls")) has_delivered_ |= calls_.add(*pieces, sink);
    if (const json::object* call = peek_object(delta, "function_call"))
        has_delivered_ |= calls_.add_function_call(*call, sink);
}

void openai_reply_reader::add_content(const json::value& content, chat_sink& sink)
{
    if (const json::array* parts = content.if_array()) {
        for (const json::value& part : *parts)
            if (const json::object* fields = part.if_object()) add_content_part(*fields, sink);
        return;
    }
    append_text(peek_text(&content), sink);
}

/** Mistral's parts: text, thinking with texts in it, references. */
void openai_reply_reader::add_content_part(const json::object& part, chat_sink& sink)
{
    if (peek_text(part, "type") != "thinking") return append_text(peek_text(part, "text"), sink);
    append_reasoning(peek_text(part, "thinking"), sink);
    const json::array* thoughts = peek_array(part, "thinking");
    if (!thoughts) return;
    for (const json::value& thought : *thoughts)
        if (const json::object* fields = thought.if_object()) append_reasoning(peek_text(*fields, "text"), sink);
}

void openai_reply_reader::add_reasoning(const json::object& delta, chat_sink& sink)
{
    // Some servers send the same text under two names.
    for (const std::string& field : profile_.reasoning_fields) {
        const std::string_view piece = peek_text(delta, field);
        if (piece.empty()) continue;
        append_reasoning(piece, sink);
        break;
    }
    if (const json::array* details = peek_array(delta, "reasoning_details")) add_reasoning_details(*details);
}

void openai_reply_reader::add_reasoning_details(const json::array& details)
{
    for (const json::value& entry : details) {
        const json::object* piece = entry.if_object();
        if (!piece) continue;
        text_left_.take(json::serialize(*piece).size());
        json::object* last = reasoning_details_.empty() ? nullptr : &reasoning_details_.back().get_object();
        if (last && continues(*last, *piece))
            merge_detail(*last, *piece);
        else
            reasoning_details_.push_back(entry);
    }
}

void openai_reply_reader::append_text(std::string_view piece, chat_sink& sink)
{
    deliver(text_, text_.seams.join(piece), sink, &chat_sink::on_text);
}

void openai_reply_reader::append_reasoning(std::string_view piece, chat_sink& sink)
{
    deliver(reasoning_, reasoning_.seams.join(piece), sink, &chat_sink::on_reasoning);
}

void openai_reply_reader::deliver(streamed_text& to, std::string_view piece, chat_sink& sink, sink_function tell)
{
    if (piece.empty()) return;
    text_left_.take(piece.size());
    to.text.append(piece);
    has_delivered_ = true;
    (sink.*tell)(piece);
}

void openai_reply_reader::move_partial(chat_reply& out)
{
    out.id = std::move(id_);
    out.model = std::move(model_);
    out.usage = usage_.value_or(usage::unknown());
    out.message.role = role::assistant;
    if (!reasoning_.text.empty()) out.message.content.emplace_back(reasoning_part{std::move(reasoning_.text), {}});
    if (!text_.text.empty()) out.message.content.emplace_back(text_part{std::move(text_.text)});
    if (!refusal_.text.empty()) out.message.content.emplace_back(refusal_part{std::move(refusal_.text)});
    if (reasoning_details_.empty()) return;
    json::object fields;
    remove_halves(fields["reasoning_details"] = std::move(reasoning_details_));
    out.message.provider = provider_data{profile_.provider, options().model, std::move(fields)};
}

void openai_reply_reader::move_complete(chat_reply& out)
{
    const stop_reason without_calls = meaning_of(finish_reason_, false);
    const bool was_cut = without_calls == stop_reason::length || without_calls == stop_reason::content_filter;
    out.message.tool_calls = calls_.finish(was_cut, options().id_seed, out.warnings);
    out.stop = meaning_of(finish_reason_, !out.message.tool_calls.empty());
    out.stop_detail = std::move(finish_reason_);
    move_partial(out);
}

}  // namespace

std::unique_ptr<reply_reader> openai_reader(reply_options options, const openai_profile& profile,
                                            const secret_string& key)
{
    return std::make_unique<openai_reply_reader>(std::move(options), profile, key);
}

}  // namespace weft::model_detail
