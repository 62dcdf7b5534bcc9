#include "reply_reader.hpp"

#include <weft/base/json.hpp>
#include <weft/base/json/utf16_halves.hpp>
#include <weft/base/text/ascii_text.hpp>
#include <weft/base/utf8.hpp>

#include <boost/json/monotonic_resource.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

// A piece of most streams fits, so that reading one allocates nothing.
constexpr std::size_t piece_memory = 4096;
constexpr std::size_t excerpt_bytes_max = 200;
constexpr std::string_view done_mark = "[DONE]";

bool begins_as_events(std::string_view text) noexcept
{
    return text.starts_with("data:") || text.starts_with("event:") || text.starts_with("id:") || text.starts_with(":");
}

/** The error in what stood in a body outside of events, if there is one: servers and proxies append late errors so. */
std::optional<json::object> stray_error(std::string_view stray_json)
{
    if (stray_json.empty()) return std::nullopt;
    try {
        json::value stray = parse_json(stray_json);
        json::array* const list = stray.if_array();
        json::value& report = list && !list->empty() ? list->front() : stray;
        if (report.is_object() && reports_error(report.get_object())) return std::move(report.get_object());
    } catch (const error&) {
        // Not JSON as a whole: then it is noise.
    }
    return std::nullopt;
}

}  // namespace

reply_reader::reply_reader(reply_options reading, const secret_string& secret, const error_dialect& dialect,
                           std::vector<std::string> split_members)
    : options_{std::move(reading)}, key_{secret}, dialect_{dialect}, split_members_{std::move(split_members)}
{
}

bool reply_reader::feed(const sse_event& event, chat_sink& sink)
{
    if (is_done_ || has_ended()) return false;
    if (!event.error.empty()) fail_with_text(event.error);
    const std::string_view data = trimmed(event.data);
    if (data.empty()) return true;  // a sign of life
    if (event.type == "error" && is_bare_error(data)) fail_with_text(data);
    if (data == done_mark) {
        is_done_ = true;
        end_pieces(sink);
        return false;
    }
    take_piece(data, event.type, sink);
    return !has_ended();
}

void reply_reader::feed_last(const sse_event& event, chat_sink& sink)
{
    const std::string_view text = event.error.empty() ? trimmed(event.data) : event.error;
    if (text == done_mark || is_whole(text)) feed(event, sink);
}

void reply_reader::feed_document(std::string_view body, chat_sink& sink)
{
    is_document_ = true;
    take(trimmed(body), {}, sink);
    end_pieces(sink);
}

chat_reply reply_reader::finish(std::string_view stray_json)
{
    if (const auto report = stray_error(stray_json)) fail_with_report(*report);
    if (is_complete()) return complete();
    refuse_end(stray_json);
}

chat_reply reply_reader::finish_after(const error& cause)
{
    if (is_complete() && cause.code() != errc::cancelled) return complete();
    model_failure failure;
    failure.code = cause.code();
    failure.detail = cause.where().empty() ? cause.detail() : cause.where() + ": " + cause.detail();
    failure.is_transient = is_transient(cause.code());
    fail(std::move(failure));
}

/** Whether the texts of a member come in pieces: of those that Chat Completions of all servers have, and others of the
 *  provider. */
bool reply_reader::is_split(std::string_view name) const noexcept
{
    constexpr std::string_view usual[] = {"content", "text", "thinking", "summary", "refusal", "arguments", "input"};
    return std::find(std::begin(usual), std::end(usual), name) != std::end(usual) ||
           std::find(split_members_.begin(), split_members_.end(), name) != split_members_.end();
}

/** Some servers write a byte order mark before JSON. */
json::value reply_reader::read(std::string_view text, json::storage_ptr storage) const
{
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    return parse_json_with_halves(text, std::move(storage), [this](std::string_view name) { return is_split(name); });
}

std::string reply_reader::excerpt(std::string_view text) const
{
    return key_.scrub(repaired_utf8(truncated_utf8(text, excerpt_bytes_max)));
}

void reply_reader::take_piece(std::string_view text, std::string_view event_type, chat_sink& sink)
{
    if (const auto repeated = last_.text_of(text, event_type)) {
        try {
            return take_text(*repeated, sink);
        } catch (const reply_refused& refused) {
            refuse(refused.code, refused.detail);
        }
    }
    last_.forget();
    take(text, event_type, sink);
}

void reply_reader::take(std::string_view text, std::string_view event_type, chat_sink& sink)
{
    alignas(std::max_align_t) unsigned char memory[piece_memory];
    json::monotonic_resource resource{memory};
    json::value piece(json::storage_ptr{&resource});
    try {
        piece = read(text, &resource);
    } catch (const error& e) {
        if (is_document_ && begins_as_events(text))
            refuse(errc::invalid_model_reply,
                   "the content type is JSON, but the body is an event stream: " + excerpt(text));
        refuse(errc::invalid_model_reply, "not JSON (" + e.where() + ", " + e.detail() + "): " + excerpt(text));
    }
    has_pieces_ = true;
    const json::array* const list = piece.if_array();
    if (!list || list->empty()) {
        sole_text_ = {};
        take_fields(piece, event_type, sink);
        if (!sole_text_.empty()) last_.remember(text, event_type, sole_text_);
        return;
    }
    for (const json::value& entry : *list) take_fields(entry, event_type, sink);
}

void reply_reader::take_fields(const json::value& piece, std::string_view event_type, chat_sink& sink)
{
    const json::object* const fields = piece.if_object();
    if (!fields) refuse(errc::invalid_model_reply, "JSON, but no object");
    try {
        take_object(*fields, event_type, sink);
    } catch (const reply_refused& refused) {
        refuse(refused.code, refused.detail);
    }
}

void reply_reader::end_pieces(chat_sink& sink)
{
    try {
        take_end(sink);
    } catch (const reply_refused& refused) {
        refuse(refused.code, refused.detail);
    }
}

bool reply_reader::is_whole(std::string_view text) const
{
    try {
        (void)read(text, {});
        return true;
    } catch (const error&) {
        return false;
    }
}

chat_reply reply_reader::complete()
{
    chat_reply result;
    try {
        move_complete(result);
    } catch (const reply_refused& refused) {
        refuse(refused.code, refused.detail);
    }
    result.request_id = std::move(options_.request_id);
    result.rate_limits = options_.rate_limits;
    return result;
}

void reply_reader::fail(model_failure failure)
{
    if (failure.request_id.empty()) failure.request_id = options_.request_id;
    failure.has_delivered = has_delivered();
    move_partial(failure.partial);
    failure.partial.message.tool_calls.clear();
    failure.partial.request_id = std::move(options_.request_id);
    failure.partial.rate_limits = options_.rate_limits;
    throw model_error{options_.where, std::move(failure)};
}

void reply_reader::refuse(errc code, std::string detail, bool may_pass)
{
    model_failure failure;
    failure.code = code;
    failure.detail = std::move(detail);
    failure.is_transient = may_pass;
    fail(std::move(failure));
}

void reply_reader::refuse_document(std::string detail)
{
    model_failure failure;
    failure.code = errc::invalid_model_reply;
    failure.phase = model_phase::response;
    failure.detail = std::move(detail);
    fail(std::move(failure));
}

/** The stream ended before the reply did. Where a JSON document stands in place of the events, asking again does not
 *  help: that is said instead. */
void reply_reader::refuse_end(std::string_view stray_json)
{
    if (!has_pieces_ && !stray_json.empty())
        refuse(errc::invalid_model_reply,
               "the body is JSON, but the content type announces an event stream: " + excerpt(stray_json));
    refuse(errc::response_truncated, std::string{why_incomplete()}, true);
}

model_failure reply_reader::failure_of(const json::object& report) const
{
    json::value shown(report, json::storage_ptr{});
    remove_halves(shown);
    model_failure failure = reported_failure(shown.get_object(), key_, dialect_);
    if (is_document_) failure.phase = model_phase::response;
    return failure;
}

void reply_reader::fail_with_report(const json::object& report)
{
    model_failure failure = failure_of(report);
    if (has_delivered()) failure.code = errc::model_stream_error;
    fail(std::move(failure));
}

/** The report may be JSON or plain text. */
void reply_reader::fail_with_text(std::string_view text)
{
    json::value content(text);
    try {
        content = parse_json(text);
    } catch (const error&) {
        // Not JSON: then the text itself is the message.
    }
    const json::object* const fields = content.if_object();
    if (fields && reports_error(*fields)) fail_with_report(*fields);
    json::object report;
    report.emplace("error", std::move(content));
    fail_with_report(report);
}

}  // namespace weft::model_detail
