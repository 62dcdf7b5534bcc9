#include <weft/base/json/json_peek.hpp>

#include "gemini_provider.hpp"
#include "model/wire/reply_blocks.hpp"
#include "model/wire/reply_reader.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

using part_kind = reply_block::kind;

/** Words for a reply that holds nothing to go on with. */
bool is_giving_up(std::string_view finish_reason) noexcept
{
    return finish_reason.starts_with("MALFORMED_") || finish_reason == "UNEXPECTED_TOOL_CALL" ||
           finish_reason == "TOO_MANY_TOOL_CALLS" || finish_reason == "OTHER";
}

bool is_filter(std::string_view finish_reason) noexcept
{
    constexpr std::string_view words[] = {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"};
    return finish_reason.starts_with("IMAGE_") ||
           std::find(std::begin(words), std::end(words), finish_reason) != std::end(words);
}

bool is_thought(const json::object& part) noexcept { return peek_flag(part, "thought", false); }

/** The counts of a reply. Each report is the sum so far and replaces what it names. */
struct gemini_usage {
    std::optional<std::int64_t> prompt;
    std::optional<std::int64_t> tool_prompt;
    std::optional<std::int64_t> cached;      // of the prompt
    std::optional<std::int64_t> candidates;  // without thoughts
    std::optional<std::int64_t> thoughts;

    void add(const json::object& report) noexcept;
    [[nodiscard]] weft::usage total() const noexcept;
};

void gemini_usage::add(const json::object& report) noexcept
{
    replace_count(prompt, report, "promptTokenCount");
    replace_count(tool_prompt, report, "toolUsePromptTokenCount");
    replace_count(cached, report, "cachedContentTokenCount");
    replace_count(candidates, report, "candidatesTokenCount");
    replace_count(thoughts, report, "thoughtsTokenCount");
}

usage gemini_usage::total() const noexcept
{
    if (!prompt && !candidates && !thoughts) return usage::unknown();
    usage result;
    result.input = tokens{prompt.value_or(0) + tool_prompt.value_or(0)};
    result.cached = tokens{cached.value_or(0)};
    result.reasoning = tokens{thoughts.value_or(0)};
    result.output = tokens{candidates.value_or(0)} + result.reasoning;
    return result;
}

class gemini_reply_reader final : public reply_reader {
public:
    gemini_reply_reader(reply_options reading, const gemini_settings& settings, const secret_string& secret)
        : reply_reader{std::move(reading), secret, gemini_errors}, settings_{settings}, blocks_{options().limits}
    {
    }

private:
    void take_object(const json::object& chunk, std::string_view event_type, chat_sink& sink) override;
    void take_end(chat_sink& sink) override;
    [[nodiscard]] bool is_complete() const noexcept override;
    [[nodiscard]] std::string_view why_incomplete() const noexcept override;
    [[nodiscard]] bool has_delivered() const noexcept override { return blocks_.has_delivered(); }
    void move_partial(chat_reply& out) override;
    void move_complete(chat_reply& out) override;

    void add(const json::object& chunk, chat_sink& sink);
    void add_candidate(const json::object& candidate, chat_sink& sink);
    void add_part(const json::object& part, chat_sink& sink);
    void add_text(std::string_view text, reply_block::kind what, std::string_view signature, chat_sink& sink);
    void add_call(const json::object& call, std::string_view signature, chat_sink& sink);
    [[nodiscard]] std::string giving_up() const;
    [[nodiscard]] stop_reason meaning(bool has_calls) const noexcept;
    [[nodiscard]] bool needs_raw(const std::vector<bool>& has_id) const noexcept;
    [[nodiscard]] json::array raw_parts(const std::vector<tool_call>& calls, const std::vector<bool>& has_id) const;

    const gemini_settings& settings_;
    reply_blocks blocks_;
    gemini_usage usage_;
    std::string id_;
    std::string model_;
    std::string finish_reason_;
    std::string finish_message_;
    std::string block_reason_;
    std::optional<std::int64_t> candidate_;
    bool has_started_ = false;
};

void gemini_reply_reader::take_object(const json::object& chunk, std::string_view, chat_sink& sink)
{
    // Text beside an error still counts.
    add(chunk, sink);
    if (reports_error(chunk)) fail_with_report(chunk);
    if (is_giving_up(finish_reason_)) refuse(errc::model_stream_error, key().scrub(giving_up()), true);
}

void gemini_reply_reader::take_end(chat_sink& sink)
{
    blocks_.end_all(sink);
    const bool has_answer = candidate_.has_value() || !block_reason_.empty();
    if (is_document() && !has_answer) refuse_document("the reply has no candidates");
}

bool gemini_reply_reader::is_complete() const noexcept
{
    return is_document() || !finish_reason_.empty() || !block_reason_.empty();
}

std::string_view gemini_reply_reader::why_incomplete() const noexcept
{
    return "the stream ended without a finish reason";
}

void gemini_reply_reader::add(const json::object& chunk, chat_sink& sink)
{
    if (id_.empty()) id_ = peek_text(chunk, "responseId");
    if (model_.empty()) model_ = peek_text(chunk, "modelVersion");
    if (const json::object* feedback = peek_object(chunk, "promptFeedback"))
        if (block_reason_.empty()) block_reason_ = peek_text(*feedback, "blockReason");
    if (const json::array* candidates = peek_array(chunk, "candidates"))
        for (const json::value& candidate : *candidates)
            if (const json::object* fields = candidate.if_object()) add_candidate(*fields, sink);
    if (const json::object* report = peek_object(chunk, "usageMetadata")) {
        usage_.add(*report);
        const usage so_far = usage_.total();
        if (so_far.is_exact()) sink.on_usage(so_far);
    }
}

void gemini_reply_reader::add_candidate(const json::object& candidate, chat_sink& sink)
{
    const std::int64_t index = peek_count(candidate, "index").value_or(0);
    if (!candidate_) candidate_ = index;
    if (index != *candidate_) return;  // alternatives are not asked for
    if (!has_started_) sink.on_started(id_, model_);
    has_started_ = true;

    const json::object* content = peek_object(candidate, "content");
    if (const json::array* parts = content ? peek_array(*content, "parts") : nullptr)
        for (const json::value& part : *parts)
            if (const json::object* fields = part.if_object()) add_part(*fields, sink);
    const std::string_view reason = peek_text(candidate, "finishReason");
    if (reason.empty() || reason == "FINISH_REASON_UNSPECIFIED") return;
    finish_reason_ = reason;
    finish_message_ = without_halves(peek_text(candidate, "finishMessage"));
    blocks_.end_all(sink);
}

void gemini_reply_reader::add_part(const json::object& part, chat_sink& sink)
{
    const std::string_view signature = peek_text(part, "thoughtSignature");
    if (const json::object* call = peek_object(part, "functionCall")) return add_call(*call, signature, sink);
    const json::value* text = peek_member(part, "text");
    if (text && text->is_string())
        return add_text(peek_text(text), is_thought(part) ? part_kind::reasoning : part_kind::text, signature, sink);
    if (part.empty()) return;
    reply_block& block = blocks_.add(part_kind::other);
    block.raw = blocks_.kept(json::value(part, json::storage_ptr{}));
}

/** Pieces of one text become one block, but a signature belongs to its piece alone. */
void gemini_reply_reader::add_text(std::string_view text, part_kind what, std::string_view signature, chat_sink& sink)
{
    if (text.empty() && signature.empty()) return;
    reply_block* last = blocks_.all().empty() ? nullptr : &blocks_.all().back();
    const bool goes_on = last && last->what == what && last->signature.empty() && signature.empty();
    reply_block& block = goes_on ? *last : blocks_.add(what);
    blocks_.append(block, text, sink);
    if (!signature.empty()) blocks_.sign(block, signature);
}

void gemini_reply_reader::add_call(const json::object& call, std::string_view signature, chat_sink& sink)
{
    reply_block& block = blocks_.add_call(peek_text(call, "id"), peek_text(call, "name"), sink);
    const json::object* arguments = peek_object(call, "args");
    blocks_.append(block, arguments ? without_halves(json::serialize(*arguments)) : "{}", sink);
    if (!signature.empty()) blocks_.sign(block, signature);
}

/** Why the model gave up, for people. */
std::string gemini_reply_reader::giving_up() const
{
    std::string text = "the model gave up (finish reason " + finish_reason_ + ")";
    if (!finish_message_.empty()) text.append(": ").append(finish_message_);
    return text;
}

stop_reason gemini_reply_reader::meaning(bool has_calls) const noexcept
{
    if (finish_reason_.empty() && !block_reason_.empty()) return stop_reason::content_filter;
    if (finish_reason_ == "MAX_TOKENS") return stop_reason::length;
    if (is_filter(finish_reason_)) return stop_reason::content_filter;
    if (has_calls) return stop_reason::tool_calls;  // the word is STOP then as well
    if (finish_reason_ == "CONTINUATION") return stop_reason::paused;
    return finish_reason_ == "STOP" ? stop_reason::stop : stop_reason::unknown;
}

/** The neutral form has no signatures here, and text before calls. */
bool gemini_reply_reader::needs_raw(const std::vector<bool>& has_id) const noexcept
{
    bool has_call = false;
    for (std::size_t i = 0; i < blocks_.all().size(); ++i) {
        const reply_block& block = blocks_.all()[i];
        const bool is_call = block.what == part_kind::call;
        if (block.what == part_kind::other || !block.signature.empty() || has_id[i]) return true;
        if (has_call && block.what == part_kind::text) return true;
        has_call |= is_call;
    }
    return false;
}

/** The parts as they go back; of a call only the id, since the message has the rest, and whether the provider knows
 *  that id. */
json::array gemini_reply_reader::raw_parts(const std::vector<tool_call>& calls, const std::vector<bool>& has_id) const
{
    json::array parts;
    for (std::size_t i = 0; i < blocks_.all().size(); ++i) {
        const reply_block& block = blocks_.all()[i];
        json::object part;
        if (block.what == part_kind::other)
            part = block.raw.get_object();
        else if (block.place)
            part = {{"call", calls.at(*block.place).id}, {"has_id", static_cast<bool>(has_id[i])}};
        else if (block.what == part_kind::call)
            continue;
        else
            part.emplace("text", block.words.text);
        if (block.what == part_kind::reasoning) part.emplace("thought", true);
        if (!block.signature.empty()) part.emplace("thoughtSignature", block.signature);
        parts.push_back(std::move(part));
    }
    return parts;
}

void gemini_reply_reader::move_partial(chat_reply& out)
{
    out.id = std::move(id_);
    out.model = std::move(model_);
    out.usage = usage_.total();
    out.message.role = role::assistant;
    for (const reply_block& block : blocks_.all()) {
        const std::string& text = block.words.text;
        if (block.what == part_kind::text && !text.empty()) out.message.content.emplace_back(text_part{text});
        if (block.what == part_kind::reasoning && !text.empty())
            out.message.content.emplace_back(reasoning_part{text, {}});
        const json::object* raw = block.raw.if_object();
        const json::object* data = raw ? peek_object(*raw, "inlineData") : nullptr;
        if (!data) continue;
        image_data picture{std::string{peek_text(*data, "mimeType")}, std::string{peek_text(*data, "data")}};
        out.message.content.emplace_back(image_part{.data = std::move(picture)});
    }
}

void gemini_reply_reader::move_complete(chat_reply& out)
{
    std::vector<bool> has_id;
    for (const reply_block& block : blocks_.all()) has_id.push_back(!block.call.id.empty());
    const bool was_cut = meaning(false) == stop_reason::length;
    out.message.tool_calls = blocks_.move_calls(was_cut, options().id_seed, out.warnings);
    out.stop = meaning(!out.message.tool_calls.empty());
    out.stop_detail = finish_reason_.empty() ? std::move(block_reason_) : std::move(finish_reason_);
    if (needs_raw(has_id)) {
        json::object fields;
        fields.emplace("parts", raw_parts(out.message.tool_calls, has_id));
        out.message.provider = provider_data{settings_.provider, options().model, std::move(fields)};
    }
    move_partial(out);
}

}  // namespace

std::unique_ptr<reply_reader> gemini_reader(reply_options options, const gemini_settings& settings,
                                            const secret_string& key)
{
    return std::make_unique<gemini_reply_reader>(std::move(options), settings, key);
}

}  // namespace weft::model_detail
