#pragma once

#include "serve/feed/run_feed.hpp"
#include "serve/http/api_call.hpp"
#include "serve/http/open_answer.hpp"
#include "serve/run/serve_core.hpp"
#include "serve/wire/stream_frames.hpp"

#include <weft/async/task.hpp>
#include <weft/net/text/http_headers.hpp>
#include <weft/store/record/run_record.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace weft::serve_detail {

/** A client that follows a run. */
struct run_follower {
    run_follower() {}

    std::shared_ptr<run_feed> feed = {};
    std::optional<thread_key> thread = {};  ///< Nothing: the run is not kept.
    std::shared_ptr<void> watch = {};       ///< Of a run that may be on another loop.
    mutable std::shared_ptr<void> following = {};  ///< Of one that another process may have; set by the first wait.
    std::uint64_t after = 0;                ///< The id of the event behind which it reads.
    bool stops_with_client = false;         ///< The run is cancelled when the client goes away:
    std::stop_source stop{std::nostopstate};  ///< by this, if it is not kept.
};

/** Follows a run that may be under way anywhere: here, on another loop, in another process; or over. */
[[nodiscard]] task<run_follower> join_run(serve_core& core, run_record run);

/** Says in the words of a protocol what happens in a run, for one client.
 *
 *  What a writer makes of an event without regard to its client is made once for all clients, by `feed_event::form`;
 *  each writer has slots of its own there, see `form_slots`. */
class run_writer {
public:
    run_writer() = default;
    run_writer(const run_writer&) = delete;
    run_writer& operator=(const run_writer&) = delete;
    virtual ~run_writer() = default;

    /** What comes before all events. */
    virtual void begin(std::string& out) { (void)out; }
    /** What the client gets of an event, in order. */
    [[nodiscard]] virtual event_frames frames(const feed_event& event) = 0;
    /** The protocol, as metrics name it. */
    [[nodiscard]] virtual std::string_view protocol() const noexcept = 0;
    /** Whether clients get records of calls of models (`feed_event::is_record`). */
    [[nodiscard]] virtual bool shows_records() const noexcept { return false; }
    /** Whether `frames` would hold the loop for long; then `prepare` is awaited first. */
    [[nodiscard]] virtual bool is_long(const feed_event& event) const { return (void)event, false; }
    [[nodiscard]] virtual task<void> prepare(const feed_event& event);
    /** Whether `end` must have the values and the questions of a run, also of one that ended, or waits, in another
     *  process or in an earlier life of this one: they are read from the store then. */
    [[nodiscard]] virtual bool wants_outcome() const noexcept { return false; }
    /** True if the client has what it wants, whatever follows in the run: the stream ends. */
    [[nodiscard]] virtual bool is_done() const noexcept { return false; }
    /** What comes behind all events. @param ending  Of a run that goes on after `is_done`, one without values. */
    virtual void end(std::string& out, const run_ending& ending) = 0;
    /** What tells that events were lost. */
    virtual void gap(std::string& out) { out.append(": events that came before are gone\n\n"); }
    /** What tells a client, and the proxies before it, that the server lives. */
    [[nodiscard]] virtual std::string_view heartbeat() const noexcept { return ": heartbeat\n\n"; }
    /** What comes in the place of the end when the caller may not have the stream any longer. */
    [[nodiscard]] virtual last_word_function last_word() const noexcept = 0;
};

/** Where protocols keep their forms of an event; see `feed_event::form`. A protocol has a hundred of them. */
namespace form_slots {
inline constexpr std::size_t langgraph = 0;
inline constexpr std::size_t openai_chat = 100;
inline constexpr std::size_t openai_responses = 200;
inline constexpr std::size_t ag_ui = 300;
inline constexpr std::size_t a2a = 400;
inline constexpr std::size_t mcp = 500;
inline constexpr std::size_t studio = 600;
}  // namespace form_slots

/** Answers with an event stream of what happens in a run, until it is over or waits. A client that goes away ends the
 *  stream and, unless it wants that, not the run.
 *  @param headers   Beside those that event streams have in any case.
 *  @par Errors      `http_error` 503: a drain has given the run back; the connection is cut if the answer has begun. */
[[nodiscard]] task<void> stream_run(serve_core& core, api_call& call, run_follower follower,
                                    std::unique_ptr<run_writer> writer, http_headers headers = http_headers{});

/** Waits for more of a run, or its end, at most for the time between two heartbeats. From the first wait on the run is
 *  followed in the store as far as other processes have it. */
[[nodiscard]] task<void> wait_for_more(serve_core& core, feed_reader& reader, const run_follower& of);

/** Waits until a run is over, waits for an answer, or is given back.
 *  @return      How; of a run of an earlier life with the values that the store has.
 *  @par Errors  As `stream_run`. */
[[nodiscard]] task<run_ending> wait_for_end(serve_core& core, run_follower follower);

/** What a run of an earlier life left is in the store only: adds it to how the run ended. The thread may have gone on
 *  since.
 *  @par Lifetimes   All outlive the task. */
[[nodiscard]] task<void> read_outcome(serve_core& core, const run_follower& of, run_ending& ending);

/** @par Errors  `http_error` 503: a drain has given the run back, and it goes on elsewhere. */
void require_end(const run_ending& of);

/** True if clients are told of a failure, in the place of values. */
[[nodiscard]] bool is_told_as_error(const run_ending& of) noexcept;

}  // namespace weft::serve_detail
