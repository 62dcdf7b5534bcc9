#include <weft/base/json/json_peek.hpp>

#include "model/openai/openai_provider.hpp"
#include "model/wire/finished_calls.hpp"
#include "model/wire/reply_reader.hpp"
#include "responses_output.hpp"
#include "responses_provider.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

constexpr std::string_view event_prefix = "response.";

/** How a response may end. */
bool is_ending(std::string_view status) noexcept
{
    return status == "completed" || status == "incomplete" || status == "failed" || status == "cancelled";
}

stop_reason meaning_of_reason(std::string_view reason) noexcept
{
    if (reason == "max_output_tokens") return stop_reason::length;
    if (reason == "content_filter") return stop_reason::content_filter;
    if (reason == "max_messages" || reason == "steered") return stop_reason::paused;
    return stop_reason::unknown;
}

std::int64_t responses_detail(const json::object& in, std::string_view group, std::string_view name) noexcept
{
    const json::object* details = peek_object(in, group);
    return details ? peek_count(*details, name).value_or(0) : 0;
}

std::optional<usage> responses_usage(const json::object& response) noexcept
{
    const json::object* in = peek_object(response, "usage");
    const auto input = in ? peek_count(*in, "input_tokens") : std::nullopt;
    const auto output = in ? peek_count(*in, "output_tokens") : std::nullopt;
    if (!input && !output) return std::nullopt;
    usage result;
    result.input = tokens{input.value_or(0)};
    result.output = tokens{output.value_or(0)};
    result.cached = tokens{responses_detail(*in, "input_tokens_details", "cached_tokens")};
    result.cache_written = tokens{responses_detail(*in, "input_tokens_details", "cache_write_tokens")};
    result.reasoning = tokens{responses_detail(*in, "output_tokens_details", "reasoning_tokens")};
    return result;
}

/** An event `error` has the error in a member, or is the error itself. */
json::object report_in(const json::object& event)
{
    if (peek_object(event, "error")) return event;
    json::object bare;
    for (const json::key_value_pair& member : event)
        if (member.key() != "type" && member.key() != "sequence_number") bare.emplace(member.key(), member.value());
    json::object report;
    report.emplace("error", std::move(bare));
    return report;
}

class responses_reply_reader final : public reply_reader {
public:
    responses_reply_reader(reply_options reading, const responses_settings& settings, const secret_string& secret)
        : reply_reader{std::move(reading), secret, openai_errors, {"delta"}}, settings_{settings},
          output_{options().limits}
    {
    }

private:
    void take_object(const json::object& piece, std::string_view event_type, chat_sink& sink) override;
    [[nodiscard]] bool is_bare_error(std::string_view data) const override { return !is_whole(data); }
    [[nodiscard]] bool has_ended() const noexcept override { return !ending_.empty(); }
    [[nodiscard]] bool is_complete() const noexcept override { return !ending_.empty(); }
    [[nodiscard]] std::string_view why_incomplete() const noexcept override;
    [[nodiscard]] bool has_delivered() const noexcept override { return output_.has_delivered(); }
    void move_partial(chat_reply& out) override;
    void move_complete(chat_reply& out) override;

    void take_document(const json::object& response, chat_sink& sink);
    void start(const json::object* response, chat_sink& sink);
    void end(const json::object& response, std::string_view how, chat_sink& sink);
    [[noreturn]] void fail_with_response(const json::object& response, std::string_view how);

    const responses_settings& settings_;
    responses_output output_;
    std::string id_;
    std::string model_;
    std::optional<weft::usage> used_;
    std::string ending_;  // how the response ended; empty as long as it has not
    std::string reason_;  // why it is incomplete
    bool has_started_ = false;
};

std::string_view responses_reply_reader::why_incomplete() const noexcept
{
    return "the stream ended before the response was completed";
}

void responses_reply_reader::take_object(const json::object& piece, std::string_view event_type, chat_sink& sink)
{
    if (is_document()) return take_document(piece, sink);
    std::string_view type = peek_text(piece, "type");
    if (type.empty() && event_type != "message") type = event_type;
    if (type == "error") fail_with_report(report_in(piece));
    if (type.empty() && reports_error(piece)) fail_with_report(piece);

    const json::object* response = peek_object(piece, "response");
    if (response) start(response, sink);
    const std::string_view word =
        type.starts_with(event_prefix) ? type.substr(event_prefix.size()) : std::string_view{};
    const json::object nothing;
    if (is_ending(word))
        end(response ? *response : nothing, word, sink);
    else if (output_.take(type, piece, sink))
        start(nullptr, sink);
}

void responses_reply_reader::take_document(const json::object& response, chat_sink& sink)
{
    const std::string_view status = peek_text(response, "status");
    const bool is_response = peek_array(response, "output") || peek_text(response, "object") == "response";
    if (!is_response && reports_error(response)) fail_with_report(response);
    if (!is_response) refuse(errc::invalid_model_reply, "the document has no output");
    if (!status.empty() && !is_ending(status))
        refuse(errc::invalid_model_reply, "the response is still " + std::string{status} +
                                              "; weft waits for replies and does not ask for them again");
    start(&response, sink);
    end(response, status.empty() ? "completed" : status, sink);
}

/** The first event that names the response, or else its first piece. */
void responses_reply_reader::start(const json::object* response, chat_sink& sink)
{
    if (response && id_.empty()) id_ = peek_text(*response, "id");
    if (response && model_.empty()) model_ = peek_text(*response, "model");
    if (!has_started_) sink.on_started(id_, model_);
    has_started_ = true;
}

void responses_reply_reader::end(const json::object& response, std::string_view how, chat_sink& sink)
{
    const std::string_view status = peek_text(response, "status");
    if (is_ending(status)) how = status;
    if (const std::optional<weft::usage> reported = responses_usage(response)) {
        used_ = reported;
        sink.on_usage(*used_);
    }
    if (how == "failed" || how == "cancelled") fail_with_response(response, how);
    const json::array* items = peek_array(response, "output");
    if (items && !items->empty()) output_.settle(*items, sink);
    output_.end_texts(sink);
    const json::object* details = peek_object(response, "incomplete_details");
    if (how == "incomplete") reason_ = details ? peek_text(*details, "reason") : std::string_view{};
    ending_ = how;
}

void responses_reply_reader::fail_with_response(const json::object& response, std::string_view how)
{
    if (const json::value* error = peek_member(response, "error")) {
        json::object report;
        report.emplace("error", *error);
        fail_with_report(report);
    }
    model_failure failure;
    failure.code = errc::model_stream_error;
    failure.detail = "the response was " + std::string{how} + " by the provider, without a reason";
    failure.provider_code = how;
    failure.is_transient = how == "failed";
    fail(std::move(failure));
}

void responses_reply_reader::move_partial(chat_reply& out)
{
    out.id = std::move(id_);
    out.model = std::move(model_);
    out.usage = used_.value_or(usage::unknown());
    out.message.role = role::assistant;
    output_.move_content(out.message);
}

/** Items go back as they were only if all of them are whole: reasoning must not go without what follows it. */
void responses_reply_reader::move_complete(chat_reply& out)
{
    const bool was_cut = ending_ == "incomplete";
    out.warnings = output_.move_warnings();
    out.message.tool_calls = output_.move_calls(was_cut, out.warnings);
    give_own_ids(out.message.tool_calls, options().id_seed, out.warnings);
    json::array items = was_cut ? json::array{} : output_.move_raw();
    if (!items.empty()) {
        json::object fields;
        fields.emplace("output", std::move(items));
        out.message.provider = provider_data{settings_.provider, options().model, std::move(fields)};
    }
    const stop_reason whole = out.message.tool_calls.empty() ? stop_reason::stop : stop_reason::tool_calls;
    out.stop = was_cut ? meaning_of_reason(reason_) : whole;
    out.stop_detail = was_cut && !reason_.empty() ? reason_ : ending_;
    move_partial(out);
}

}  // namespace

std::unique_ptr<reply_reader> responses_reader(reply_options options, const responses_settings& settings,
                                               const secret_string& key)
{
    return std::make_unique<responses_reply_reader>(std::move(options), settings, key);
}

}  // namespace weft::model_detail
