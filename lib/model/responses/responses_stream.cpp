#include "responses_stream.hpp"

#include <weft/base/json/json_peek.hpp>
#include <weft/base/text/ascii_text.hpp>

#include "model/wire/finished_calls.hpp"
#include "model/wire/openai_dialect.hpp"
#include "model/wire/openai_error.hpp"
#include "model/wire/reply_under_way.hpp"
#include "model/wire/stray_error.hpp"
#include "responses_output.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace weft {

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

}  // namespace

struct responses_stream::state final : model_detail::reply_under_way {
    state(reply_options reading, const responses_settings& settings, const secret_string& secret)
        : reply_under_way{std::move(reading), secret, model_detail::openai_dialect, {"delta"}}, settings{settings},
          output{options.limits}
    {
    }

    const responses_settings& settings;
    model_detail::responses_output output;
    std::string id;
    std::string model;
    std::optional<weft::usage> used;
    std::string ending;  // how the response ended; empty as long as it has not
    std::string reason;  // why it is incomplete
    bool has_started = false;

    void take_object(const json::object& piece, std::string_view event_type, chat_sink& sink) override;
    void take_document(const json::object& response, chat_sink& sink);
    void start(const json::object* response, chat_sink& sink);
    void end(const json::object& response, std::string_view how, chat_sink& sink);
    [[noreturn]] void fail_with_response(const json::object& response, std::string_view how);
    [[nodiscard]] bool has_delivered() const noexcept override { return output.has_delivered(); }
    void move_partial(chat_reply& out) override;
    void move_complete(chat_reply& out) override;
};

void responses_stream::state::take_object(const json::object& piece, std::string_view event_type, chat_sink& sink)
{
    if (is_document) return take_document(piece, sink);
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
    else if (output.take(type, piece, sink))
        start(nullptr, sink);
}

void responses_stream::state::take_document(const json::object& response, chat_sink& sink)
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
void responses_stream::state::start(const json::object* response, chat_sink& sink)
{
    if (response && id.empty()) id = peek_text(*response, "id");
    if (response && model.empty()) model = peek_text(*response, "model");
    if (!has_started) sink.on_started(id, model);
    has_started = true;
}

void responses_stream::state::end(const json::object& response, std::string_view how, chat_sink& sink)
{
    const std::string_view status = peek_text(response, "status");
    if (is_ending(status)) how = status;
    if (const std::optional<weft::usage> reported = responses_usage(response)) {
        used = reported;
        sink.on_usage(*used);
    }
    if (how == "failed" || how == "cancelled") fail_with_response(response, how);
    const json::array* items = peek_array(response, "output");
    if (items && !items->empty()) output.settle(*items, sink);
    output.end_texts(sink);
    const json::object* details = peek_object(response, "incomplete_details");
    if (how == "incomplete") reason = details ? peek_text(*details, "reason") : std::string_view{};
    ending = how;
}

void responses_stream::state::fail_with_response(const json::object& response, std::string_view how)
{
    if (const json::value* error = peek_member(response, "error")) {
        json::object report;
        report.emplace("error", *error);
        fail_with_report(report);
    }
    refuse(errc::model_stream_error, "the response was " + std::string{how} + " by the provider, without a reason",
           how == "failed");
}

void responses_stream::state::move_partial(chat_reply& out)
{
    out.id = std::move(id);
    out.model = std::move(model);
    out.usage = used.value_or(usage::unknown());
    out.message.role = role::assistant;
    output.move_content(out.message);
}

/** Items go back as they were only if all of them are whole: reasoning must not go without what follows it. */
void responses_stream::state::move_complete(chat_reply& out)
{
    const bool was_cut = ending == "incomplete";
    out.warnings = output.move_warnings();
    out.message.tool_calls = output.move_calls(was_cut, out.warnings);
    model_detail::give_own_ids(out.message.tool_calls, options.id_seed, out.warnings);
    json::array items = was_cut ? json::array{} : output.move_raw();
    if (!items.empty()) {
        json::object fields;
        fields.emplace("output", std::move(items));
        out.message.provider = provider_data{settings.provider, options.model, std::move(fields)};
    }
    const stop_reason whole = out.message.tool_calls.empty() ? stop_reason::stop : stop_reason::tool_calls;
    out.stop = was_cut ? meaning_of_reason(reason) : whole;
    out.stop_detail = was_cut && !reason.empty() ? reason : ending;
    move_partial(out);
}

responses_stream::responses_stream(reply_options options, const responses_settings& settings,
                                   const secret_string& key)
    : state_{std::make_unique<state>(std::move(options), settings, key)}
{
}

responses_stream::~responses_stream() = default;
responses_stream::responses_stream(responses_stream&&) noexcept = default;
responses_stream& responses_stream::operator=(responses_stream&&) noexcept = default;

bool responses_stream::feed(const sse_event& event, chat_sink& sink)
{
    if (!state_->ending.empty()) return false;
    if (!event.error.empty()) state_->fail_with_text(event.error);
    const std::string_view data = trimmed(event.data);
    if (data.empty()) return true;  // a sign of life
    if (data == "[DONE]") return false;
    if (event.type == "error" && !state_->is_whole(data)) state_->fail_with_text(data);
    state_->take(data, event.type, sink);
    return state_->ending.empty();
}

void responses_stream::feed_last(const sse_event& event, chat_sink& sink)
{
    const std::string_view data = trimmed(event.data);
    if (!event.error.empty() || state_->is_whole(data)) feed(event, sink);
}

void responses_stream::feed_document(std::string_view body, chat_sink& sink)
{
    state_->is_document = true;
    state_->take(trimmed(body), {}, sink);
}

chat_reply responses_stream::finish(std::string_view stray_json)
{
    if (const auto report = model_detail::stray_error(stray_json)) state_->fail_with_report(*report);
    if (!state_->ending.empty()) return state_->complete();
    state_->refuse_end(stray_json, "the stream ended before the response was completed");
}

chat_reply responses_stream::finish_after(const error& cause)
{
    if (!state_->ending.empty() && cause.code() != errc::cancelled) return state_->complete();
    state_->fail_after(cause);
}

}  // namespace weft
