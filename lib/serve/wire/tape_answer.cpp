#include "tape_answer.hpp"

#include <utility>

namespace weft::serve_detail {

namespace {

constexpr std::size_t tape_piece_bytes_max = 32 * 1024;

}  // namespace

task<void> stream_tape(serve_core& core, api_call& call, std::shared_ptr<thread_tape> tape, std::uint64_t after,
                       append_entry_function append)
{
    tape_reader reader{std::move(tape), after};
    http_headers headers;
    headers.set("Cache-Control", "no-store");
    headers.set("X-Accel-Buffering", "no");
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

}  // namespace weft::serve_detail
