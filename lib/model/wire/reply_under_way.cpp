#include "reply_under_way.hpp"

#include <weft/base/json.hpp>
#include <weft/base/utf8.hpp>

#include "openai_error.hpp"

#include <boost/json/monotonic_resource.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

// A piece of most streams fits, so that reading one allocates nothing.
constexpr std::size_t piece_memory = 4096;
constexpr std::size_t excerpt_bytes_max = 200;

bool begins_as_events(std::string_view text) noexcept
{
    return text.starts_with("data:") || text.starts_with("event:") || text.starts_with("id:") || text.starts_with(":");
}

}  // namespace

void byte_budget::take(std::size_t bytes)
{
    if (bytes > left_)
        throw reply_refused{errc::response_too_large,
                            std::string{what_} + " longer than " + std::to_string(max_) + " bytes"};
    left_ -= bytes;
}

reply_under_way::reply_under_way(reply_options reading, const secret_string& secret, const error_dialect& words,
                                 std::vector<std::string> split_members)
    : options{std::move(reading)}, key{secret}, dialect_{words}, split_members_{std::move(split_members)}
{
}

/** Whether the texts of a member come in pieces: of those that Chat Completions of all servers have, and others of the
 *  provider. */
bool reply_under_way::is_split(std::string_view name) const noexcept
{
    constexpr std::string_view usual[] = {"content", "text", "thinking", "summary", "refusal", "arguments", "input"};
    return std::find(std::begin(usual), std::end(usual), name) != std::end(usual) ||
           std::find(split_members_.begin(), split_members_.end(), name) != split_members_.end();
}

/** Some servers write a byte order mark before JSON. */
json::value reply_under_way::read(std::string_view text, json::storage_ptr storage) const
{
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    return parse_json_with_halves(text, std::move(storage), [this](std::string_view name) { return is_split(name); });
}

std::string reply_under_way::excerpt(std::string_view text) const
{
    return key.scrub(repaired_utf8(truncated_utf8(text, excerpt_bytes_max)));
}

void reply_under_way::take(std::string_view text, std::string_view event_type, chat_sink& sink)
{
    alignas(std::max_align_t) unsigned char memory[piece_memory];
    json::monotonic_resource resource{memory};
    json::value piece(json::storage_ptr{&resource});
    try {
        piece = read(text, &resource);
    } catch (const error& e) {
        if (is_document && begins_as_events(text))
            refuse(errc::invalid_model_reply,
                   "the content type is JSON, but the body is an event stream: " + excerpt(text));
        refuse(errc::invalid_model_reply, "not JSON (" + e.where() + ", " + e.detail() + "): " + excerpt(text));
    }
    has_pieces_ = true;
    const json::array* const list = piece.if_array();
    if (!list || list->empty()) return take_fields(piece, event_type, sink);
    for (const json::value& entry : *list) take_fields(entry, event_type, sink);
}

void reply_under_way::take_fields(const json::value& piece, std::string_view event_type, chat_sink& sink)
{
    const json::object* const fields = piece.if_object();
    if (!fields) refuse(errc::invalid_model_reply, "JSON, but no object");
    try {
        take_object(*fields, event_type, sink);
    } catch (const reply_refused& refused) {
        refuse(refused.code, refused.detail);
    }
}

bool reply_under_way::is_whole(std::string_view text) const
{
    try {
        (void)read(text, {});
        return true;
    } catch (const error&) {
        return false;
    }
}

chat_reply reply_under_way::complete()
{
    chat_reply result;
    try {
        move_complete(result);
    } catch (const reply_refused& refused) {
        refuse(refused.code, refused.detail);
    }
    result.request_id = std::move(options.request_id);
    result.rate_limits = options.rate_limits;
    return result;
}

void reply_under_way::fail(model_failure failure)
{
    if (failure.request_id.empty()) failure.request_id = options.request_id;
    failure.has_delivered = has_delivered();
    move_partial(failure.partial);
    failure.partial.message.tool_calls.clear();
    failure.partial.request_id = std::move(options.request_id);
    failure.partial.rate_limits = options.rate_limits;
    throw model_error{options.where, std::move(failure)};
}

void reply_under_way::refuse(errc code, std::string detail, bool may_pass)
{
    model_failure failure;
    failure.code = code;
    failure.detail = std::move(detail);
    failure.is_transient = may_pass;
    fail(std::move(failure));
}

void reply_under_way::refuse_end(std::string_view stray_json, std::string detail)
{
    if (!has_pieces_ && !stray_json.empty())
        refuse(errc::invalid_model_reply,
               "the body is JSON, but the content type announces an event stream: " + excerpt(stray_json));
    refuse(errc::response_truncated, std::move(detail), true);
}

void reply_under_way::fail_with_report(const json::object& report)
{
    json::value shown(report, json::storage_ptr{});
    remove_halves(shown);
    model_failure failure = reported_failure(shown.get_object(), key, dialect_);
    if (is_document) failure.phase = model_phase::response;
    if (has_delivered()) failure.code = errc::model_stream_error;
    fail(std::move(failure));
}

void reply_under_way::fail_with_text(std::string_view text)
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

void reply_under_way::fail_after(const error& cause)
{
    model_failure failure;
    failure.code = cause.code();
    failure.detail = cause.where().empty() ? cause.detail() : cause.where() + ": " + cause.detail();
    failure.is_transient = is_transient(cause.code());
    fail(std::move(failure));
}

}  // namespace weft::model_detail
