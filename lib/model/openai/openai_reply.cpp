#include "openai_reply.hpp"

#include <weft/base/json/json_peek.hpp>

#include "model/wire/reply_refused.hpp"
#include "openai_usage.hpp"

#include <boost/json/serialize.hpp>

#include <utility>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

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

}  // namespace

void openai_reply::add(const json::object& chunk, chat_sink& sink)
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

void openai_reply::add_choice(const json::object& choice, chat_sink& sink)
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
    end_texts(sink);
}

void openai_reply::end_texts(chat_sink& sink)
{
    deliver(text_, text_seams_.end(), sink, &chat_sink::on_text);
    deliver(reasoning_, reasoning_seams_.end(), sink, &chat_sink::on_reasoning);
    deliver(refusal_, refusal_seams_.end(), sink, &chat_sink::on_refusal);
    has_delivered_ |= calls_.end_arguments(sink);
}

void openai_reply::add_delta(const json::object& delta, chat_sink& sink)
{
    add_reasoning(delta, sink);
    if (const json::value* content = peek_member(delta, "content")) add_content(*content, sink);
    deliver(refusal_, refusal_seams_.join(peek_text(delta, "refusal")), sink, &chat_sink::on_refusal);
    if (const json::array* pieces = peek_array(delta, "tool_calls")) has_delivered_ |= calls_.add(*pieces, sink);
    if (const json::object* call = peek_object(delta, "function_call"))
        has_delivered_ |= calls_.add_function_call(*call, sink);
}

void openai_reply::add_content(const json::value& content, chat_sink& sink)
{
    if (const json::array* parts = content.if_array()) {
        for (const json::value& part : *parts)
            if (const json::object* fields = part.if_object()) add_content_part(*fields, sink);
        return;
    }
    append_text(peek_text(&content), sink);
}

/** Mistral's parts: text, thinking with texts in it, references. */
void openai_reply::add_content_part(const json::object& part, chat_sink& sink)
{
    if (peek_text(part, "type") != "thinking") return append_text(peek_text(part, "text"), sink);
    append_reasoning(peek_text(part, "thinking"), sink);
    const json::array* thoughts = peek_array(part, "thinking");
    if (!thoughts) return;
    for (const json::value& thought : *thoughts)
        if (const json::object* fields = thought.if_object()) append_reasoning(peek_text(*fields, "text"), sink);
}

void openai_reply::add_reasoning(const json::object& delta, chat_sink& sink)
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

void openai_reply::add_reasoning_details(const json::array& details)
{
    for (const json::value& entry : details) {
        const json::object* piece = entry.if_object();
        if (!piece) continue;
        count_bytes(json::serialize(*piece).size());
        json::object* last = reasoning_details_.empty() ? nullptr : &reasoning_details_.back().get_object();
        if (last && continues(*last, *piece))
            merge_detail(*last, *piece);
        else
            reasoning_details_.push_back(entry);
    }
}

void openai_reply::append_text(std::string_view piece, chat_sink& sink)
{
    deliver(text_, text_seams_.join(piece), sink, &chat_sink::on_text);
}

void openai_reply::append_reasoning(std::string_view piece, chat_sink& sink)
{
    deliver(reasoning_, reasoning_seams_.join(piece), sink, &chat_sink::on_reasoning);
}

void openai_reply::deliver(std::string& to, std::string_view piece, chat_sink& sink, sink_function tell)
{
    if (piece.empty()) return;
    count_bytes(piece.size());
    to.append(piece);
    has_delivered_ = true;
    (sink.*tell)(piece);
}

void openai_reply::count_bytes(std::size_t bytes)
{
    bytes_ += bytes;
    if (bytes_ > limits_.text_bytes_max)
        throw reply_refused{errc::response_too_large,
                            "the reply is longer than " + std::to_string(limits_.text_bytes_max) + " bytes"};
}

void openai_reply::move_partial(chat_reply& out, const std::string& asked_model)
{
    out.id = std::move(id_);
    out.model = std::move(model_);
    out.usage = usage_.value_or(usage::unknown());
    out.message.role = role::assistant;
    if (!reasoning_.empty()) out.message.content.emplace_back(reasoning_part{std::move(reasoning_), {}});
    if (!text_.empty()) out.message.content.emplace_back(text_part{std::move(text_)});
    if (!refusal_.empty()) out.message.content.emplace_back(refusal_part{std::move(refusal_)});
    if (reasoning_details_.empty()) return;
    json::object fields;
    remove_halves(fields["reasoning_details"] = std::move(reasoning_details_));
    out.message.provider = provider_data{profile_.provider, asked_model, std::move(fields)};
}

void openai_reply::move_complete(chat_reply& out, const openai_stream_options& options)
{
    const stop_reason without_calls = meaning_of(finish_reason_, false);
    const bool was_cut = without_calls == stop_reason::length || without_calls == stop_reason::content_filter;
    out.message.tool_calls = calls_.finish(was_cut, options.id_seed, out.warnings);
    out.stop = meaning_of(finish_reason_, !out.message.tool_calls.empty());
    out.stop_detail = std::move(finish_reason_);
    move_partial(out, options.model);
}

}  // namespace weft::model_detail
