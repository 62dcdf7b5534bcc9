#include "anthropic_stream.hpp"

#include <weft/base/json/json_peek.hpp>
#include <weft/base/text/ascii_text.hpp>

#include "anthropic_dialect.hpp"
#include "anthropic_reply.hpp"
#include "model/wire/openai_error.hpp"
#include "model/wire/reply_under_way.hpp"
#include "model/wire/stray_error.hpp"

#include <optional>
#include <utility>

namespace weft {

namespace json = boost::json;

struct anthropic_stream::state final : model_detail::reply_under_way {
    state(reply_options reading, const anthropic_settings& settings, const secret_string& secret)
        : reply_under_way{std::move(reading), secret, model_detail::anthropic_dialect, {"partial_json"}},
          reply{options, settings}
    {
    }

    model_detail::anthropic_reply reply;

private:
    void take_object(const json::object& piece, std::string_view event_type, chat_sink& sink) override;
    void take_document(const json::object& message, chat_sink& sink);
    [[nodiscard]] bool has_delivered() const noexcept override { return reply.has_delivered(); }
    void move_partial(chat_reply& out) override { reply.move_partial(out); }
    void move_complete(chat_reply& out) override { reply.move_complete(out); }
};

void anthropic_stream::state::take_object(const json::object& piece, std::string_view event_type, chat_sink& sink)
{
    std::string_view type = peek_text(piece, "type");
    if (type == "error" || reports_error(piece)) fail_with_report(piece);
    if (is_document) return take_document(piece, sink);
    if (type.empty()) type = event_type;
    reply.take(type, piece, sink);
}

void anthropic_stream::state::take_document(const json::object& message, chat_sink& sink)
{
    if (!peek_array(message, "content")) {
        model_failure failure;
        failure.code = errc::invalid_model_reply;
        failure.phase = model_phase::response;
        failure.detail = "the reply has no content";
        fail(std::move(failure));
    }
    reply.take_message(message, sink);
}

anthropic_stream::anthropic_stream(reply_options options, const anthropic_settings& settings, const secret_string& key)
    : state_{std::make_unique<state>(std::move(options), settings, key)}
{
}

anthropic_stream::~anthropic_stream() = default;
anthropic_stream::anthropic_stream(anthropic_stream&&) noexcept = default;
anthropic_stream& anthropic_stream::operator=(anthropic_stream&&) noexcept = default;

bool anthropic_stream::feed(const sse_event& event, chat_sink& sink)
{
    if (state_->reply.has_ended()) return false;
    if (!event.error.empty()) state_->fail_with_text(event.error);
    const std::string_view data = trimmed(event.data);
    if (data.empty()) return true;          // a sign of life
    if (data == "[DONE]") return false;     // of a gateway; it proves nothing
    if (event.type == "error") state_->fail_with_text(data);
    state_->take(data, event.type, sink);
    return !state_->reply.has_ended();
}

void anthropic_stream::feed_last(const sse_event& event, chat_sink& sink)
{
    const std::string_view text = event.error.empty() ? trimmed(event.data) : event.error;
    if (state_->is_whole(text)) feed(event, sink);
}

void anthropic_stream::feed_document(std::string_view body, chat_sink& sink)
{
    state_->is_document = true;
    state_->take(trimmed(body), {}, sink);
}

chat_reply anthropic_stream::finish(std::string_view stray_json)
{
    if (const auto report = model_detail::stray_error(stray_json)) state_->fail_with_report(*report);
    if (state_->reply.is_complete()) return state_->complete();
    state_->refuse_end(stray_json, state_->reply.has_ended() ? "the message ended without a stop reason"
                                                             : "the stream ended without message_stop");
}

chat_reply anthropic_stream::finish_after(const error& cause)
{
    if (state_->reply.is_complete() && cause.code() != errc::cancelled) return state_->complete();
    state_->fail_after(cause);
}

}  // namespace weft
