#include <weft/model/openai_stream.hpp>

#include <weft/base/json.hpp>
#include <weft/base/utf8.hpp>
#include <weft/model/openai_error.hpp>

#include "json_peek.hpp"
#include "openai_reply.hpp"
#include "reply_refused.hpp"
#include "utf16_halves.hpp"

#include <boost/json/monotonic_resource.hpp>

#include <optional>
#include <utility>

namespace weft {

namespace json = boost::json;

namespace {

// A chunk of any server fits, so that reading one allocates nothing.
constexpr std::size_t chunk_memory = 4096;
constexpr std::size_t shown_bytes_max = 200;

std::string_view trimmed(std::string_view text) noexcept
{
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/** The object of a chunk; Gemini puts errors into an array of one. */
const json::object* object_in(const json::value& chunk) noexcept
{
    const json::array* list = chunk.if_array();
    return list && !list->empty() ? list->front().if_object() : chunk.if_object();
}

/** Words for a reply that ended in an error which nothing else explains. */
bool is_failure_word(std::string_view finish_reason) noexcept
{
    return finish_reason == "error" || finish_reason == "insufficient_system_resource";
}

}  // namespace

struct openai_stream::state {
    state(openai_stream_options options, const openai_profile& profile, const secret_string& key)
        : options{std::move(options)}, profile{profile}, key{key}, reply{profile, this->options.limits}
    {
    }

    openai_stream_options options;
    const openai_profile& profile;
    const secret_string& key;
    model_detail::openai_reply reply;
    bool is_done = false;      // [DONE] was seen
    bool is_document = false;  // the reply came whole, not as a stream

    void take(std::string_view text, chat_sink& sink);
    void take_object(const json::object& chunk, chat_sink& sink);
    [[nodiscard]] bool is_complete() const noexcept;
    [[nodiscard]] chat_reply complete();
    [[noreturn]] void fail(model_failure failure);
    [[noreturn]] void fail_with_report(const json::object& report);
    [[noreturn]] void fail_with_text(std::string_view report);
    [[noreturn]] void refuse(errc code, std::string detail, bool may_pass = false);
};

/** Whatever failed, what had arrived goes along, and no tool call does. */
void openai_stream::state::fail(model_failure failure)
{
    failure.request_id = options.request_id;
    failure.has_delivered = reply.has_delivered();
    reply.move_partial(failure.partial, options.model);
    failure.partial.request_id = std::move(options.request_id);
    failure.partial.rate_limits = options.rate_limits;
    throw model_error{options.where, std::move(failure)};
}

void openai_stream::state::refuse(errc code, std::string detail, bool may_pass)
{
    model_failure failure;
    failure.code = code;
    failure.detail = std::move(detail);
    failure.is_transient = may_pass;
    fail(std::move(failure));
}

void openai_stream::state::fail_with_report(const json::object& report)
{
    json::value shown(report);
    model_detail::remove_halves(shown);
    model_failure failure = openai_reported_failure(shown.get_object(), key);
    if (is_document) failure.phase = model_phase::response;
    if (reply.has_delivered()) failure.code = errc::model_stream_error;
    fail(std::move(failure));
}

/** An error that is marked as one from outside: by the type of the event, or, by llama.cpp before autumn 2025, by the
 *  name of the field. */
void openai_stream::state::fail_with_text(std::string_view text)
{
    json::value content(text);
    try {
        content = parse_json(text);
    } catch (const error&) {
        // Not JSON: then the text itself is the message.
    }
    const json::object* fields = content.if_object();
    if (fields && reports_error(*fields)) fail_with_report(*fields);
    json::object report;
    report.emplace("error", std::move(content));
    fail_with_report(report);
}

void openai_stream::state::take(std::string_view text, chat_sink& sink)
{
    alignas(std::max_align_t) unsigned char memory[chunk_memory];
    json::monotonic_resource resource{memory};
    json::value chunk(json::storage_ptr{&resource});
    try {
        chunk = model_detail::parse_json_with_halves(text, &resource, profile.reasoning_fields);
    } catch (const error& e) {
        const std::string_view beginning = truncated_utf8(text, shown_bytes_max);
        refuse(errc::invalid_model_reply,
               "not JSON (" + e.where() + ", " + e.detail() + "): " + key.scrub(repaired_utf8(beginning)));
    }
    const json::object* fields = object_in(chunk);
    if (!fields) refuse(errc::invalid_model_reply, "JSON, but no object");
    try {
        take_object(*fields, sink);
    } catch (const model_detail::reply_refused& refused) {
        refuse(refused.code, refused.detail);
    }
}

void openai_stream::state::take_object(const json::object& chunk, chat_sink& sink)
{
    // Text beside an error still counts.
    reply.add(chunk, sink);
    if (reports_error(chunk)) fail_with_report(chunk);
    const json::object* groq = model_detail::peek_object(chunk, "x_groq");
    if (groq && reports_error(*groq)) fail_with_report(*groq);
    if (is_failure_word(reply.finish_reason()))
        refuse(errc::model_stream_error, "the server gave up (finish reason " + reply.finish_reason() + ")", true);
    if (!is_document || reply.has_started()) return;
    model_failure failure = openai_reported_failure(chunk, key);
    failure.code = errc::invalid_model_reply;
    failure.phase = model_phase::response;
    failure.detail = "the reply has no choices: " + failure.detail;
    fail(std::move(failure));
}

bool openai_stream::state::is_complete() const noexcept
{
    return is_document || !reply.finish_reason().empty() || (is_done && profile.done_implies_stop);
}

chat_reply openai_stream::state::complete()
{
    chat_reply result;
    try {
        reply.move_complete(result, options);
    } catch (const model_detail::reply_refused& refused) {
        refuse(refused.code, refused.detail);
    }
    result.request_id = std::move(options.request_id);
    result.rate_limits = options.rate_limits;
    return result;
}

openai_stream::openai_stream(openai_stream_options options, const openai_profile& profile, const secret_string& key)
    : state_{std::make_unique<state>(std::move(options), profile, key)}
{
}

openai_stream::~openai_stream() = default;
openai_stream::openai_stream(openai_stream&&) noexcept = default;
openai_stream& openai_stream::operator=(openai_stream&&) noexcept = default;

bool openai_stream::feed(const sse_event& event, chat_sink& sink)
{
    if (state_->is_done) return false;
    if (!event.error.empty()) state_->fail_with_text(event.error);
    const std::string_view data = trimmed(event.data);
    if (data.empty()) return true;  // a sign of life
    if (event.type == "error") state_->fail_with_text(data);
    if (data == "[DONE]") {
        state_->is_done = true;
        state_->reply.end_texts(sink);
        return false;
    }
    state_->take(data, sink);
    return true;
}

void openai_stream::feed_last(const sse_event& event, chat_sink& sink)
{
    const std::string_view text = event.error.empty() ? trimmed(event.data) : event.error;
    if (text != "[DONE]") {
        try {
            (void)model_detail::parse_json_with_halves(text, {}, state_->profile.reasoning_fields);
        } catch (const error&) {
            return;  // cut in the middle
        }
    }
    feed(event, sink);
}

void openai_stream::feed_document(std::string_view body, chat_sink& sink)
{
    state_->is_document = true;
    state_->take(trimmed(body), sink);
    state_->reply.end_texts(sink);
}

chat_reply openai_stream::finish(std::string_view stray_json)
{
    if (!stray_json.empty()) {
        std::optional<json::value> stray;
        try {
            stray = parse_json(stray_json);
        } catch (const error&) {
            // Not JSON as a whole: then it is noise.
        }
        const json::object* fields = stray ? object_in(*stray) : nullptr;
        if (fields && reports_error(*fields)) state_->fail_with_report(*fields);
    }
    if (state_->is_complete()) return state_->complete();
    state_->refuse(errc::response_truncated,
                   state_->is_done ? "[DONE] came without a finish reason" : "the stream ended without a finish reason",
                   true);
}

chat_reply openai_stream::finish_after(const error& cause)
{
    if (state_->is_complete() && cause.code() != errc::cancelled) return state_->complete();
    model_failure failure;
    failure.code = cause.code();
    failure.detail = cause.where().empty() ? cause.detail() : cause.where() + ": " + cause.detail();
    failure.is_transient = is_transient(cause.code());
    state_->fail(std::move(failure));
}

}  // namespace weft
