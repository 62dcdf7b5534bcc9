#include "http_answer.hpp"

#include "agent/text/key_text.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/text/ascii_text.hpp>
#include <weft/base/utf8.hpp>
#include <weft/graph/node/event_question.hpp>
#include <weft/model/time/retry_after.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace weft::agent_detail {

namespace {

constexpr std::size_t message_characters_max = 200;

bool may_pass(int status) noexcept
{
    return status == 408 || status == 425 || status == 429 || status >= 500;
}

std::string first_characters(std::string_view text)
{
    std::string mended = repaired_utf8(std::string{trimmed(text)});
    std::size_t end = 0;
    for (std::size_t count = 0; end < mended.size(); end += code_point_bytes(std::string_view{mended}.substr(end)))
        if (++count > message_characters_max) return mended.substr(0, end) + "…";
    return mended;
}

/** The text that a JSON body has for people; nothing if it is none or has none. */
std::optional<std::string> told_in_json(std::string_view body)
{
    boost::json::value read;
    try {
        read = parse_json(body);
    } catch (const error&) {
        return std::nullopt;
    }
    static constexpr std::array<std::string_view, 3> names{"message", "detail", "error"};
    const boost::json::object* members = read.if_object();
    for (int depth = 0; members && depth < 2; ++depth) {
        const boost::json::object* inner = nullptr;
        for (const std::string_view name : names) {
            const boost::json::value* const found = members->if_contains(name);
            if (found && found->is_string()) return std::string{std::string_view{found->get_string()}};
            if (found && found->is_object()) inner = &found->get_object();
        }
        members = inner;
    }
    return std::nullopt;
}

boost::json::value json_or_text(const std::string& data)
{
    try {
        return parse_json(data);
    } catch (const error&) {
        return boost::json::string_view{data};
    }
}

/** Under which name watchers hear an event of this type: not as if an agent had spoken. */
std::string_view label_of(std::string_view type)
{
    namespace own = agent_event;
    static constexpr std::array reserved{
        own::internal_output, own::message_delta,   own::delta,           own::retract,        own::usage,
        own::warning,         own::guardrail,       own::question,        own::tool_start,     own::tool_end,
        own::remote_call,     own::loop_iteration,  own::judge_verdict,   own::output_key_set, own::input_blocked,
        own::input_requested, own::input_received,  own::subagent_report, own::agent_start,    own::turn_start,
        own::message_end,     own::turn_end,        own::agent_end,       own::response,       own::notification};
    if (type == "message") return own::output;
    const auto is_type = [type](const agent_event_name& name) { return name == type; };
    const bool is_free = is_event_name(type) && std::none_of(reserved.begin(), reserved.end(), is_type);
    return is_free ? type : std::string_view{"custom"};
}

bool is_json(std::string_view type) { return type == "application/json" || type.ends_with("+json"); }

}  // namespace

bool is_refusal(const http_response_head& head) noexcept { return !head.is_success(); }

std::optional<http_refusal> refusal_of(const http_response_head& head, std::string_view body)
{
    if (!is_refusal(head)) return std::nullopt;
    http_refusal refusal;
    refusal.detail = "status " + std::to_string(head.status);
    if (head.status < 400) refusal.detail += ", a redirect, which is not followed: write the URL that is meant";
    const std::string told = first_characters(told_in_json(body).value_or(std::string{body}));
    if (!told.empty()) refusal.detail += ": " + told;
    if (!may_pass(head.status)) return refusal;
    refusal.code = errc::http_unavailable;
    refusal.retry_after = retry_after_of(head.headers);
    return refusal;
}

boost::json::value value_of_body(std::string_view media_type, std::string body, const std::string& where)
{
    if (trimmed(body).empty()) return {};
    if (!is_json(media_type)) {
        if (!is_valid_utf8(body))
            throw error{errc::invalid_output, where,
                        "the answer, of the type '" + std::string{media_type} +
                            "', is no UTF-8 text: a node takes JSON, text or events"};
        return boost::json::string_view{body};
    }
    try {
        return parse_json(body);
    } catch (const error& e) {
        throw error{errc::invalid_json, where, "the answer says it is JSON: " + e.detail()};
    }
}

bool event_answer::feed(std::string_view bytes)
{
    if (is_over_) return true;
    parser_.feed(bytes);
    while (const sse_event* const event = parser_.next()) {
        take(*event);
        if (is_over_) return true;
    }
    if (parser_.has_failed()) throw parser_.failure(where_);
    return false;
}

void event_answer::take(const sse_event& event)
{
    if (event.type == "error")
        throw error{errc::http_refused, where_,
                    "the stream says: " +
                        first_characters(told_in_json(event.data).value_or(std::string{event.data}))};
    last_ = event.data;
    has_last_ = true;
    if (event.type != "result") return tell_(label_of(event.type), event.data);
    is_over_ = true;
    answer_ = json_or_text(last_);
}

void event_answer::finish()
{
    if (is_over_) return;
    if (const sse_event* const event = parser_.finish()) take(*event);
    if (is_over_) return;
    if (!has_last_)
        throw error{errc::invalid_output, where_,
                    "the stream ended without an event: its last one, or one of the type 'result', is the answer"};
    answer_ = json_or_text(last_);
    is_over_ = true;
}

}  // namespace weft::agent_detail
