#include "response_follower.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>

#include <algorithm>
#include <utility>

namespace weft::model_detail {

namespace {

constexpr std::chrono::seconds look_again_every{1};
constexpr std::chrono::seconds asked_pause_max{60};
constexpr int failures_in_a_row_max = 60;

/** An answer repeats its text in its last event, where JSON may write one byte as six. */
std::size_t follower_bytes_max(const reply_limits& limits)
{
    constexpr std::size_t frame = 1024 * 1024;
    return 6 * (limits.text_bytes_max + limits.argument_bytes_max) + frame;
}

boost::json::object members_of(std::string_view text)
{
    try {
        boost::json::value read = parse_json(text);
        if (read.is_object()) return std::move(read.get_object());
    } catch (const error&) {
        // The reader says what is wrong with it.
    }
    return {};
}

}  // namespace

response_follower::response_follower(const provider& from, reply_options reading, chat_sink& sink)
    : where_{reading.where}, bytes_max_{follower_bytes_max(reading.limits)},
      reader_{from.how.read(std::move(reading), from.options.key)}, sink_{sink}
{
}

url response_follower::target(const url& response) const
{
    if (!streams_) return response;
    std::string text = response.to_string();
    text.append(response.target().find('?') == std::string::npos ? "?" : "&").append("stream=true");
    if (seen_) text.append("&starting_after=").append(std::to_string(*seen_));
    return url{text};
}

void response_follower::begin_stream()
{
    parser_.emplace(sse_options{
        .dialect = sse_dialect::llm, .line_bytes_max = bytes_max_, .event_bytes_max = bytes_max_});
}

bool response_follower::take(std::string_view bytes)
{
    parser_->feed(bytes);
    while (const sse_event* const event = parser_->next()) {
        take(*event);
        if (is_over_) return false;
    }
    if (parser_->has_failed()) throw parser_->failure("stream");
    return true;
}

void response_follower::take(const sse_event& event)
{
    const boost::json::object members = members_of(event.data);
    const std::optional<std::int64_t> number = peek_count(members, "sequence_number");
    // An endpoint that begins anew sends again what was heard.
    if (number && seen_ && *number <= *seen_) return;
    if (number) seen_ = number;
    failures_ = 0;
    read([&] { is_over_ = !reader_->feed(event, sink_); });
}

/** What the reader refuses is the end of the response, also where the same failure of a look would pass. */
template <class Read>
void response_follower::read(Read take_in)
{
    try {
        take_in();
    } catch (const model_error& e) {
        model_failure failure = e.failure();
        failure.is_transient = false;
        failed_.emplace(e.where(), std::move(failure));
        is_over_ = true;
    }
}

// An event that was cut comes again in the next stream. The end of a stream that says nothing is no progress.
void response_follower::end_stream()
{
    model_failure failure;
    failure.code = errc::response_truncated;
    failure.detail = "the stream ended before the response was completed";
    failure.is_transient = true;
    take_failure(model_error{where_, std::move(failure)});
}

void response_follower::take_document(const std::string& text)
{
    const boost::json::object response = members_of(text);
    const std::string_view status = peek_text(response, "status");
    failures_ = 0;
    pause_ = look_again_every;
    if (status == "queued" || status == "in_progress") return;
    is_over_ = true;
    read([&] { reader_->feed_document(text, sink_); });
}

chat_reply response_follower::finish()
{
    if (failed_) throw *failed_;
    return reader_->finish();
}

void response_follower::take_failure(const model_error& failed)
{
    const model_failure& why = failed.failure();
    const bool is_status = why.phase == model_phase::response;
    if (failed.code() == errc::cancelled || (!is_status && !why.is_transient)) throw failed;
    const bool is_plain_refusal = is_status && !why.is_transient;
    if (is_plain_refusal && (!streams_ || why.status == 401 || why.status == 403 || why.status == 404)) throw failed;
    if (is_plain_refusal) streams_ = false;  // an endpoint that does not stream what was ordered
    if (++failures_ >= failures_in_a_row_max) throw failed;
    pause_ = look_again_every;
    if (why.retry_after) pause_ = std::clamp<std::chrono::nanoseconds>(*why.retry_after, pause_, asked_pause_max);
}

}  // namespace weft::model_detail
