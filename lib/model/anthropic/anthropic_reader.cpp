#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>

#include "anthropic_provider.hpp"
#include "model/wire/reply_blocks.hpp"
#include "model/wire/reply_reader.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

using block_kind = reply_block::kind;

/** The object that a text is, or nothing. */
std::optional<json::value> whole_object(const std::string& text)
{
    try {
        json::value value = parse_json(text);
        if (value.is_object()) return value;
    } catch (const error&) {
        // The text goes on as it is.
    }
    return std::nullopt;
}

/** The counts of a message. Each report is the sum so far and replaces what it names. */
struct anthropic_usage {
    std::optional<std::int64_t> input;  // neither from nor into the cache
    std::optional<std::int64_t> cache_read;
    std::optional<std::int64_t> cache_written;
    std::optional<std::int64_t> output;
    std::optional<std::int64_t> thinking;

    void add(const json::object& report) noexcept;
    [[nodiscard]] weft::usage total() const noexcept;
};

void anthropic_usage::add(const json::object& report) noexcept
{
    replace_count(input, report, "input_tokens");
    replace_count(cache_read, report, "cache_read_input_tokens");
    replace_count(cache_written, report, "cache_creation_input_tokens");
    replace_count(output, report, "output_tokens");
    if (const json::object* details = peek_object(report, "output_tokens_details"))
        replace_count(thinking, *details, "thinking_tokens");
}

usage anthropic_usage::total() const noexcept
{
    if (!input && !output) return usage::unknown();
    usage result;
    result.cached = tokens{cache_read.value_or(0)};
    result.cache_written = tokens{cache_written.value_or(0)};
    result.input = tokens{input.value_or(0)} + result.cached + result.cache_written;
    result.output = tokens{output.value_or(0)};
    result.reasoning = tokens{thinking.value_or(0)};
    return result;
}

class anthropic_reply_reader final : public reply_reader {
public:
    anthropic_reply_reader(reply_options reading, const anthropic_settings& settings, const secret_string& secret)
        : reply_reader{std::move(reading), secret, anthropic_errors, {"partial_json"}}, settings_{settings},
          blocks_{options().limits}
    {
    }

private:
    void take_object(const json::object& piece, std::string_view event_type, chat_sink& sink) override;
    void take_text(std::string_view text, chat_sink& sink) override;
    [[nodiscard]] bool has_ended() const noexcept override { return has_ended_; }
    [[nodiscard]] bool is_complete() const noexcept override { return has_ended_ && !stop_reason_.empty(); }
    [[nodiscard]] std::string_view why_incomplete() const noexcept override;
    [[nodiscard]] bool has_delivered() const noexcept override { return has_delivered_ || blocks_.has_delivered(); }
    void move_partial(chat_reply& out) override;
    void move_complete(chat_reply& out) override;

    void take_event(std::string_view type, const json::object& event, chat_sink& sink);
    void take_message(const json::object& message, chat_sink& sink);
    void start(const json::object& message, chat_sink& sink);
    void report_usage(const json::object& holder, chat_sink& sink);
    void begin_block(std::int64_t index, const json::object& block, chat_sink& sink);
    void begin_call(std::int64_t index, const json::object& block, chat_sink& sink);
    void add_delta(const json::object& event, chat_sink& sink);
    void append_alone(reply_block& block, std::string_view text, const json::object& event, chat_sink& sink);
    void add_citations(reply_block& block, const json::array& citations);
    void add_stop(const json::object& delta, chat_sink& sink);
    void end_block(reply_block& block, chat_sink& sink);
    [[nodiscard]] stop_reason meaning(bool has_calls) const noexcept;
    [[nodiscard]] bool was_cut() const noexcept;
    [[nodiscard]] bool needs_raw() const noexcept;
    [[nodiscard]] bool has_signature() const noexcept;
    [[nodiscard]] json::array raw_content(const std::vector<tool_call>& calls) const;
    void put_provider(chat_reply& out) const;

    const anthropic_settings& settings_;
    reply_blocks blocks_;
    anthropic_usage usage_;
    std::string id_;
    std::string model_;
    std::string stop_reason_;
    std::string refusal_;  // why, in the provider's words
    std::vector<std::string> warnings_;
    std::int64_t last_index_ = 0;  // of the block of the last text
    bool has_started_ = false;
    bool has_ended_ = false;  // `message_stop` was seen
    bool has_delivered_ = false;
};

void anthropic_reply_reader::take_object(const json::object& piece, std::string_view event_type, chat_sink& sink)
{
    std::string_view type = peek_text(piece, "type");
    if (type == "error" || reports_error(piece)) fail_with_report(piece);
    if (is_document()) return take_message(piece, sink);
    if (type.empty()) type = event_type;
    take_event(type, piece, sink);
}

std::string_view anthropic_reply_reader::why_incomplete() const noexcept
{
    return has_ended_ ? "the message ended without a stop reason" : "the stream ended without message_stop";
}

/** An event of an unknown type is ignored. */
void anthropic_reply_reader::take_event(std::string_view type, const json::object& event, chat_sink& sink)
{
    if (type == "message_start") {
        if (const json::object* message = peek_object(event, "message")) start(*message, sink);
    } else if (type == "content_block_start") {
        const json::object* block = peek_object(event, "content_block");
        if (block) begin_block(peek_count(event, "index").value_or(0), *block, sink);
    } else if (type == "content_block_delta") {
        add_delta(event, sink);
    } else if (type == "content_block_stop") {
        if (reply_block* block = blocks_.find(peek_count(event, "index").value_or(0))) end_block(*block, sink);
    } else if (type == "message_delta") {
        report_usage(event, sink);
        if (const json::object* delta = peek_object(event, "delta")) add_stop(*delta, sink);
    } else if (type == "message_stop") {
        for (reply_block& block : blocks_.all()) end_block(block, sink);
        has_ended_ = true;
    }
}

void anthropic_reply_reader::take_message(const json::object& message, chat_sink& sink)
{
    const json::array* content = peek_array(message, "content");
    if (!content) refuse_document("the reply has no content");
    start(message, sink);
    std::int64_t index = 0;
    for (const json::value& block : *content)
        if (const json::object* fields = block.if_object()) begin_block(index++, *fields, sink);
    for (reply_block& block : blocks_.all()) end_block(block, sink);
    add_stop(message, sink);
    has_ended_ = true;
}

void anthropic_reply_reader::start(const json::object& message, chat_sink& sink)
{
    if (id_.empty()) id_ = peek_text(message, "id");
    if (model_.empty()) model_ = peek_text(message, "model");
    if (!has_started_) sink.on_started(id_, model_);
    has_started_ = true;
    report_usage(message, sink);
}

void anthropic_reply_reader::report_usage(const json::object& holder, chat_sink& sink)
{
    const json::object* report = peek_object(holder, "usage");
    if (!report) return;
    usage_.add(*report);
    const usage so_far = usage_.total();
    if (so_far.is_exact()) sink.on_usage(so_far);
}

void anthropic_reply_reader::begin_block(std::int64_t index, const json::object& in, chat_sink& sink)
{
    const std::string_view type = peek_text(in, "type");
    if (type == "tool_use") return begin_call(index, in, sink);
    if (type == "text") {
        reply_block& block = blocks_.add(block_kind::text, index);
        blocks_.append(block, peek_text(in, "text"), sink);
        if (const json::array* citations = peek_array(in, "citations")) add_citations(block, *citations);
    } else if (type == "thinking") {
        reply_block& block = blocks_.add(block_kind::reasoning, index);
        blocks_.append(block, peek_text(in, "thinking"), sink);
        blocks_.sign(block, peek_text(in, "signature"));
    } else {
        reply_block& block = blocks_.add(block_kind::other, index);
        block.raw = blocks_.kept(json::value(in, json::storage_ptr{}));
    }
}

/** The arguments follow in pieces, or stand in the block. */
void anthropic_reply_reader::begin_call(std::int64_t index, const json::object& in, chat_sink& sink)
{
    reply_block& block = blocks_.add_call(peek_text(in, "id"), peek_text(in, "name"), sink, index);
    const json::object* input = peek_object(in, "input");
    if (input && !input->empty()) block.raw = blocks_.kept(json::value(*input, json::storage_ptr{}));
}

void anthropic_reply_reader::add_delta(const json::object& event, chat_sink& sink)
{
    const json::object* delta = peek_object(event, "delta");
    if (!delta) return;
    reply_block* block = blocks_.find(peek_count(event, "index").value_or(0));
    if (!block) {
        if (warnings_.empty()) warnings_.emplace_back("a delta of a block that had not begun was dropped");
        return;
    }
    const std::string_view type = peek_text(*delta, "type");
    const bool takes_json = block->what == block_kind::call || block->what == block_kind::other;
    if (type == "text_delta" && block->what == block_kind::text)
        append_alone(*block, peek_text(*delta, "text"), event, sink);
    else if (type == "thinking_delta" && block->what == block_kind::reasoning)
        append_alone(*block, peek_text(*delta, "thinking"), event, sink);
    else if (type == "signature_delta" && block->what == block_kind::reasoning)
        blocks_.sign(*block, peek_text(*delta, "signature"));
    else if (type == "input_json_delta" && takes_json)
        blocks_.append(*block, peek_text(*delta, "partial_json"), sink);
    else if (type == "citations_delta" && block->what == block_kind::text)
        if (const json::value* one = peek_member(*delta, "citation")) add_citations(*block, json::array{*one});
}

void anthropic_reply_reader::append_alone(reply_block& block, std::string_view text, const json::object& event,
                                          chat_sink& sink)
{
    blocks_.append(block, text, sink);
    note_sole_text(text);
    last_index_ = peek_count(event, "index").value_or(0);
}

void anthropic_reply_reader::take_text(std::string_view text, chat_sink& sink)
{
    if (reply_block* block = blocks_.find(last_index_)) blocks_.append(*block, text, sink);
}

void anthropic_reply_reader::add_citations(reply_block& block, const json::array& citations)
{
    if (citations.empty()) return;
    if (block.raw.is_null()) block.raw.emplace_array();
    for (const json::value& citation : citations)
        block.raw.get_array().push_back(blocks_.kept(json::value(citation, json::storage_ptr{})));
}

void anthropic_reply_reader::add_stop(const json::object& delta, chat_sink& sink)
{
    const std::string_view reason = peek_text(delta, "stop_reason");
    if (!reason.empty()) stop_reason_ = reason;
    const json::object* details = peek_object(delta, "stop_details");
    if (!details || stop_reason_ != "refusal" || !refusal_.empty()) return;
    refusal_ = without_halves(peek_text(*details, "explanation"));
    if (refusal_.empty()) refusal_ = without_halves(peek_text(*details, "category"));
    if (refusal_.empty()) return;
    has_delivered_ = true;
    sink.on_refusal(refusal_);
}

/** Arguments that came with the beginning of a call count when none followed; those of a server's tool join it. */
void anthropic_reply_reader::end_block(reply_block& block, chat_sink& sink)
{
    blocks_.end(block, sink);
    if (block.what == block_kind::call && !block.raw.is_null()) {
        const json::value input = std::exchange(block.raw, nullptr);
        if (block.words.text.empty()) blocks_.append(block, json::serialize(input), sink);
    }
    if (block.what != block_kind::other || block.words.text.empty()) return;
    const std::string text = std::exchange(block.words.text, {});
    if (auto input = whole_object(text); input && block.raw.is_object())
        block.raw.get_object().insert_or_assign("input", std::move(*input));
}

stop_reason anthropic_reply_reader::meaning(bool has_calls) const noexcept
{
    if (stop_reason_ == "max_tokens" || stop_reason_ == "model_context_window_exceeded") return stop_reason::length;
    if (stop_reason_ == "refusal") return stop_reason::content_filter;
    if (has_calls) return stop_reason::tool_calls;
    if (stop_reason_ == "pause_turn") return stop_reason::paused;
    const bool is_stop = stop_reason_ == "end_turn" || stop_reason_ == "stop_sequence" || stop_reason_ == "tool_use";
    return is_stop ? stop_reason::stop : stop_reason::unknown;
}

bool anthropic_reply_reader::was_cut() const noexcept { return meaning(false) == stop_reason::length; }

/** The neutral form has reasoning and text in their order, then the calls, and nothing else. */
bool anthropic_reply_reader::needs_raw() const noexcept
{
    bool has_call = false;
    for (const reply_block& block : blocks_.all()) {
        const bool is_call = block.what == block_kind::call;
        if (block.what == block_kind::other || (block.what == block_kind::text && !block.raw.is_null())) return true;
        if (has_call && !is_call && !(block.words.text.empty() && block.signature.empty())) return true;
        has_call |= is_call;
    }
    return false;
}

bool anthropic_reply_reader::has_signature() const noexcept
{
    const auto is_signed = [](const reply_block& block) { return !block.signature.empty(); };
    return std::any_of(blocks_.all().begin(), blocks_.all().end(), is_signed);
}

/** The content as it goes back; of a call only the id, since the message has the rest. */
json::array anthropic_reply_reader::raw_content(const std::vector<tool_call>& calls) const
{
    json::array content;
    for (const reply_block& block : blocks_.all()) {
        json::object entry;
        if (block.what == block_kind::other) {
            content.push_back(block.raw);
        } else if (block.what == block_kind::text && !block.words.text.empty()) {
            entry = {{"type", "text"}, {"text", block.words.text}};
            if (!block.raw.is_null()) entry.emplace("citations", block.raw);
        } else if (block.what == block_kind::reasoning && !block.signature.empty()) {
            entry = {{"type", "thinking"}, {"thinking", block.words.text}, {"signature", block.signature}};
        } else if (block.place) {
            entry = {{"type", "tool_use"}, {"id", calls.at(*block.place).id}};
        }
        if (!entry.empty()) content.push_back(std::move(entry));
    }
    return content;
}

void anthropic_reply_reader::put_provider(chat_reply& out) const
{
    json::object fields;
    if (needs_raw())
        fields.emplace("content", raw_content(out.message.tool_calls));
    else if (!has_signature())
        return;
    out.message.provider = provider_data{settings_.provider, options().model, std::move(fields)};
}

void anthropic_reply_reader::move_partial(chat_reply& out)
{
    out.id = std::move(id_);
    out.model = std::move(model_);
    out.usage = usage_.total();
    out.message.role = role::assistant;
    blocks_.copy_content(out.message);
    if (!refusal_.empty()) out.message.content.emplace_back(refusal_part{std::move(refusal_)});
}

void anthropic_reply_reader::move_complete(chat_reply& out)
{
    out.warnings = std::move(warnings_);
    const bool is_refusal = stop_reason_ == "refusal";
    if (is_refusal) blocks_.all().clear();
    out.message.tool_calls = blocks_.move_calls(was_cut(), options().id_seed, out.warnings);
    out.stop = meaning(!out.message.tool_calls.empty());
    out.stop_detail = std::move(stop_reason_);
    put_provider(out);
    move_partial(out);
}

}  // namespace

std::unique_ptr<reply_reader> anthropic_reader(reply_options options, const anthropic_settings& settings,
                                               const secret_string& key)
{
    return std::make_unique<anthropic_reply_reader>(std::move(options), settings, key);
}

}  // namespace weft::model_detail
