#pragma once

#include "serve/feed/run_feed.hpp"
#include "stream_modes.hpp"

#include <weft/base/system/ids.hpp>

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
    [[nodiscard]] static frame_id of(std::uint64_t sent) noexcept { return {sent / 16}; }
};

/** Appends the frames of an event to `out`. Each is made once for all clients. */
void append_frames(std::string& out, const feed_event& event, const stream_view& view);

/** The first frame: `metadata`. */
[[nodiscard]] std::string metadata_frame(run_id run, std::uint32_t attempt);
/** The last one of a run that failed: `error`. */
[[nodiscard]] std::string error_frame(std::string_view kind, std::string_view message);

/** What a question asks for, as clients get it: what it is about, else its text. @param asked  A `question_asked`. */
[[nodiscard]] boost::json::value asked_in(const run_event& asked);

/** An open question as clients know it: `{"id":…,"value":…}`. */
[[nodiscard]] boost::json::object interrupt_of(std::string_view address, boost::json::value asked);

}  // namespace weft::serve_detail
