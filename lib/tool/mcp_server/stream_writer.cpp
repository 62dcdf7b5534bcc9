#include "stream_writer.hpp"

#include "mcp_http_check.hpp"

#include <algorithm>
#include <utility>

namespace weft::mcp_detail {

namespace {

/** How often a stream looks whether its server drains. */
constexpr std::chrono::nanoseconds drain_look = std::chrono::seconds{1};

}  // namespace

task<void> reply_rpc(http_call& call, int status, const json_rpc_message& answer, http_headers headers)
{
    http_reply reply{status, answer.text(), "application/json"};
    reply.headers = std::move(headers);
    reply.headers.set("Cache-Control", "no-store");
    return call.reply(std::move(reply));
}

stream_writer::stream_writer(http_call& call, std::shared_ptr<call_stream> from, stream_manner how)
    : call_{call}, from_{std::move(from)}, how_{how}, reader_{from_->take_over()}, seen_{how.after},
      breaks_{from_->breaks()}
{
}

task<bool> stream_writer::answer_at_once(serial_loop& loop, std::chrono::nanoseconds patience)
{
    call_.stop_when_gone();
    const auto until = loop.now() + patience;
    while (!from_->has_news(seen_, breaks_) && loop.now() < until) co_await from_->wait(until - loop.now());
    const json_rpc_message* const only = from_->only_answer();
    if (!only) co_return false;
    // The stream may let go of it while the reply is sent.
    const json_rpc_message answer = *only;
    co_await reply_rpc(call_, status_of(answer, how_.era), answer);
    co_return true;
}

task<void> stream_writer::write_all(serial_loop& loop)
{
    http_headers headers;
    headers.set("Cache-Control", "no-store");
    headers.set("X-Accel-Buffering", "no");  // nginx would keep events back until its buffer is full
    co_await call_.start_stream(200, "text/event-stream", std::move(headers));
    if (how_.is_resumable && !how_.is_resumed) co_await call_.write(first_event());
    auto last_sign = loop.now();
    while (from_->is_read_by(reader_)) {
        std::string text = next_events();
        const bool is_silent = loop.now() - last_sign >= how_.heartbeat;
        if (text.empty() && (from_->is_over() || from_->breaks() != breaks_ || call_.is_draining())) break;
        if (text.empty() && is_silent) text = ": keep-alive\n\n";
        if (text.empty()) {
            co_await from_->wait(std::min<std::chrono::nanoseconds>(how_.heartbeat, drain_look));
            continue;
        }
        co_await call_.write(text);
        last_sign = loop.now();
    }
    co_await call_.end_stream();
}

/** With it a client can come back that has seen nothing else. */
std::string stream_writer::first_event() const
{
    return "id: " + from_->key() + ".0\nretry: " + std::to_string(how_.retry.count()) + "\ndata: \n\n";
}

std::string stream_writer::next_events()
{
    // More at once would wait in memory for a client that reads slowly.
    constexpr std::size_t bytes_at_once = 64 * 1024;
    std::string text;
    while (text.size() < bytes_at_once) {
        const call_stream::piece* const next = from_->after(seen_);
        if (!next) break;
        if (how_.is_resumable) text.append("id: ").append(from_->key()).append(".").append(next->mark).append("\n");
        text.append("event: message\ndata: ").append(next->text).append("\n\n");
        seen_ = next->number;
        from_->note_read(seen_);
    }
    return text;
}

}  // namespace weft::mcp_detail
