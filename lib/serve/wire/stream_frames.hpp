#pragma once

#include "serve/feed/run_feed.hpp"
#include "stream_modes.hpp"

#include <weft/async/task.hpp>
#include <weft/base/system/ids.hpp>

#include <boost/container/small_vector.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** A frame of server-sent events: `id`, if it is not 0, `event` and `data` on a line each. */
[[nodiscard]] std::string sse_frame(std::uint64_t id, std::string_view event, const boost::json::value& data);

/** What a client of LangGraph's first protocol gets of a run. */
struct stream_view {
    stream_modes modes;
    bool has_subgraphs = false;  ///< Also of graphs within nodes, under `mode|namespace`.
};

/** The id under which a client reads on behind a frame: that of the event, and of the frame in it. */
struct frame_id {
    std::uint64_t event = 0;
    std::uint64_t frame = 0;  ///< As it was sent.
    [[nodiscard]] static frame_id of(std::uint64_t sent) noexcept { return {sent / 16, sent}; }
    /** The id behind which events are read again: the client may have got a part of the frames of its last one. */
    [[nodiscard]] std::uint64_t before() const noexcept { return event == 0 ? 0 : event - 1; }
};

/** Frames of an event that a client gets, in their order. */
using event_frames = boost::container::small_vector<std::shared_ptr<const std::string>, 4>;

/** All but those up to the id `seen`. Each is made once for all clients. */
[[nodiscard]] event_frames frames_of(const feed_event& event, const stream_view& view, std::uint64_t seen = 0);
/** False if an event has no frame in any of these modes, which is told without making one. */
[[nodiscard]] bool may_have_frames(const run_event& event, const stream_modes& modes) noexcept;
void append_frames(std::string& out, const feed_event& event, const stream_view& view, std::uint64_t seen = 0);

/** Makes those frames of an event that say the whole state, in slices between which the loop has its turn: behind it
 *  `frames_of` makes nothing of a state of megabytes. Of an event that `needs_state_frames`.
 *  @par Lifetimes   The event outlives the task. */
[[nodiscard]] task<void> make_state_frames(const feed_event& event);
[[nodiscard]] bool needs_state_frames(const feed_event& event, const stream_view& view) noexcept;

/** The first frame: `metadata`. */
[[nodiscard]] std::string metadata_frame(run_id run, std::uint32_t attempt);
/** The last one of a run that failed: `error`. */
[[nodiscard]] std::string error_frame(std::string_view kind, std::string_view message);

/** What a question asks for, as clients get it: what it is about, else its text. @param asked  A `question_asked`. */
[[nodiscard]] boost::json::value asked_in(const run_event& asked);

/** An open question as clients know it: `{"id":…,"value":…}`. */
[[nodiscard]] boost::json::object interrupt_of(std::string_view address, boost::json::value asked);

}  // namespace weft::serve_detail
