#include <weft/model/openai/openai_stream.hpp>

#include <weft/base/json/json_peek.hpp>
#include <weft/base/text/ascii_text.hpp>

#include "model/wire/openai_dialect.hpp"
#include "model/wire/openai_error.hpp"
#include "model/wire/reply_under_way.hpp"
#include "model/wire/stray_error.hpp"
#include "openai_reply.hpp"

#include <utility>

namespace weft {

namespace json = boost::json;

namespace {

/** Words for a reply that ended in an error which nothing else explains. */
bool is_failure_word(std::string_view finish_reason) noexcept
{
    return finish_reason == "error" || finish_reason == "insufficient_system_resource";
}

}  // namespace

struct openai_stream::state final : model_detail::reply_under_way {
    state(reply_options reading, const openai_profile& wanted, const secret_string& secret)
        : reply_under_way{std::move(reading), secret, model_detail::openai_dialect, wanted.reasoning_fields},
          profile{wanted}, reply{wanted, options.limits}
    {
    }

    [[nodiscard]] bool is_complete() const noexcept;

    const openai_profile& profile;
    model_detail::openai_reply reply;
    bool is_done = false;  // [DONE] was seen

private:
    void take_object(const json::object& chunk, std::string_view event_type, chat_sink& sink) override;
    [[nodiscard]] bool has_delivered() const noexcept override { return reply.has_delivered(); }
    void move_partial(chat_reply& out) override { reply.move_partial(out, options.model); }
    void move_complete(chat_reply& out) override { reply.move_complete(out, options); }
};

void openai_stream::state::take_object(const json::object& chunk, std::string_view, chat_sink& sink)
{
    // Text beside an error still counts.
    reply.add(chunk, sink);
    if (reports_error(chunk)) fail_with_report(chunk);
    const json::object* groq = peek_object(chunk, "x_groq");
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
    state_->take(data, {}, sink);
    return true;
}

void openai_stream::feed_last(const sse_event& event, chat_sink& sink)
{
    const std::string_view text = event.error.empty() ? trimmed(event.data) : event.error;
    if (text == "[DONE]" || state_->is_whole(text)) feed(event, sink);
}

void openai_stream::feed_document(std::string_view body, chat_sink& sink)
{
    state_->is_document = true;
    state_->take(trimmed(body), {}, sink);
    state_->reply.end_texts(sink);
}

chat_reply openai_stream::finish(std::string_view stray_json)
{
    if (const auto report = model_detail::stray_error(stray_json)) state_->fail_with_report(*report);
    if (state_->is_complete()) return state_->complete();
    state_->refuse_end(stray_json, state_->is_done ? "[DONE] came without a finish reason"
                                                   : "the stream ended without a finish reason");
}

chat_reply openai_stream::finish_after(const error& cause)
{
    if (state_->is_complete() && cause.code() != errc::cancelled) return state_->complete();
    state_->fail_after(cause);
}

}  // namespace weft
