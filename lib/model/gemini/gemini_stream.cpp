#include "gemini_stream.hpp"

#include <weft/base/text/ascii_text.hpp>

#include "gemini_dialect.hpp"
#include "gemini_reply.hpp"
#include "model/wire/openai_error.hpp"
#include "model/wire/reply_under_way.hpp"
#include "model/wire/stray_error.hpp"

#include <utility>

namespace weft {

namespace json = boost::json;

struct gemini_stream::state final : model_detail::reply_under_way {
    state(reply_options reading, const gemini_settings& settings, const secret_string& secret)
        : reply_under_way{std::move(reading), secret, model_detail::gemini_dialect, {}}, reply{options, settings}
    {
    }

    [[nodiscard]] bool is_complete() const noexcept { return is_document || reply.is_complete(); }

    model_detail::gemini_reply reply;

private:
    void take_object(const json::object& piece, std::string_view event_type, chat_sink& sink) override;
    [[nodiscard]] bool has_delivered() const noexcept override { return reply.has_delivered(); }
    void move_partial(chat_reply& out) override { reply.move_partial(out); }
    void move_complete(chat_reply& out) override { reply.move_complete(out); }
};

void gemini_stream::state::take_object(const json::object& piece, std::string_view, chat_sink& sink)
{
    // Text beside an error still counts.
    reply.take(piece, sink);
    if (reports_error(piece)) fail_with_report(piece);
    if (const std::string why = reply.giving_up(); !why.empty())
        refuse(errc::model_stream_error, key.scrub(why), true);
}

gemini_stream::gemini_stream(reply_options options, const gemini_settings& settings, const secret_string& key)
    : state_{std::make_unique<state>(std::move(options), settings, key)}
{
}

gemini_stream::~gemini_stream() = default;
gemini_stream::gemini_stream(gemini_stream&&) noexcept = default;
gemini_stream& gemini_stream::operator=(gemini_stream&&) noexcept = default;

bool gemini_stream::feed(const sse_event& event, chat_sink& sink)
{
    if (!event.error.empty()) state_->fail_with_text(event.error);
    const std::string_view data = trimmed(event.data);
    if (data.empty()) return true;       // a sign of life
    if (data == "[DONE]") return false;  // of a gateway; it proves nothing
    if (event.type == "error") state_->fail_with_text(data);
    state_->take(data, {}, sink);
    return true;
}

void gemini_stream::feed_last(const sse_event& event, chat_sink& sink)
{
    const std::string_view text = event.error.empty() ? trimmed(event.data) : event.error;
    if (state_->is_whole(text)) feed(event, sink);
}

void gemini_stream::feed_document(std::string_view body, chat_sink& sink)
{
    state_->is_document = true;
    state_->take(trimmed(body), {}, sink);
    state_->reply.end_texts(sink);
    if (state_->reply.has_answer()) return;
    model_failure failure;
    failure.code = errc::invalid_model_reply;
    failure.phase = model_phase::response;
    failure.detail = "the reply has no candidates";
    state_->fail(std::move(failure));
}

chat_reply gemini_stream::finish(std::string_view stray_json)
{
    if (const auto report = model_detail::stray_error(stray_json)) state_->fail_with_report(*report);
    if (state_->is_complete()) return state_->complete();
    state_->refuse_end(stray_json, "the stream ended without a finish reason");
}

chat_reply gemini_stream::finish_after(const error& cause)
{
    if (state_->is_complete() && cause.code() != errc::cancelled) return state_->complete();
    state_->fail_after(cause);
}

}  // namespace weft
