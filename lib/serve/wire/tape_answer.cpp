#include "tape_answer.hpp"

#include "serve/http/open_answer.hpp"
#include "serve/run/open_stream.hpp"
#include "stream_frames.hpp"

#include <utility>

namespace weft::serve_detail {

namespace {

constexpr std::size_t tape_piece_bytes_max = 32 * 1024;

task<void> send_tape(serve_core& core, api_call& call, std::shared_ptr<thread_tape> tape, std::uint64_t after,
                       append_entry_function append)
{
    const open_stream counted{core, "langgraph"};
    tape_reader reader{std::move(tape), after};
    http_headers headers;
    forbid_buffering(headers);
    co_await call.http().start_stream(200, "text/event-stream", std::move(headers));
    // The first bytes tell proxies and browsers that the stream is there.
    std::string out = ": ready\n\n";
    while (!reader.is_at_end() || !out.empty()) {
        while (out.size() < tape_piece_bytes_max) {
            const tape_entry* const entry = reader.next();
            if (!entry) break;
            append(out, *entry);
        }
        if (out.empty()) {
            const auto before = core.loop.now();
            co_await reader.wait(core.options.heartbeat);
            if (core.loop.now() - before >= core.options.heartbeat) out = ": heartbeat\n\n";
            continue;
        }
        co_await call.http().write(out);
        out.clear();
    }
}

std::string last_frame_of_tape(const std::string& why) { return error_frame("unauthenticated", why); }

}  // namespace

task<void> stream_tape(serve_core& core, api_call& call, std::shared_ptr<thread_tape> tape, std::uint64_t after,
                       append_entry_function append)
{
    task<void> sending = send_tape(core, call, std::move(tape), after, std::move(append));
    return answer_while_allowed(core.access.watch(), call, std::move(sending), last_frame_of_tape);
}

}  // namespace weft::serve_detail
